/* gpu_steps.c - arrays on the device for tests of the plugin's steps. */
/* SPDX-License-Identifier: MIT */
#include "test/gpu/gpu_steps.h"

#include <stdio.h>

#include "core/frame.h"

static upsweep *loader; /* has the plugin loaded */

int gpu_room_open(void **state)
{
    enum { SKIPPED = 77 };
    static gpu_room room;
    char error[256] = "";
    const char *why;
    if (upsweep_open_why(&loader, "cuda", NULL, &why) != UPSWEEP_OK) {
        printf("no GPU to test with: %s\n", why);
        exit(SKIPPED);
    }
    room.plugin = loader->plugin;
    if (room.plugin->open(&room.g, 0, 0, error, sizeof error) != UPSWEEP_OK) {
        print_message("no device: %s\n", error);
        return 1;
    }
    *state = &room;
    return upsweep_open(&room.cpu, "cpu", NULL) == UPSWEEP_OK ? 0 : 1;
}

int gpu_room_close(void **state)
{
    gpu_room *room = *state;
    room->plugin->close(room->g);
    upsweep_close(room->cpu);
    upsweep_close(loader);
    return 0;
}

bool gpu_is_emulated(const gpu_room *room)
{
    return strstr(room->plugin->name, "emulated") != NULL;
}

void gpu_take_turns(const gpu_room *room)
{
    static unsigned turn;
    if (gpu_is_emulated(room)) {
        setenv("UPSWEEP_EMULATE_CLUSTERS", ++turn * 0x9e3779b9u >> 31 != 0 ? "1" : "0", 1);
    }
}

bool gpu_left_out(const gpu_room *room, unsigned turn)
{
    return gpu_is_emulated(room) && !test_thorough() && turn % 2 != 0;
}

const void *gpu_step(const gpu_room *room, const char *name)
{
    const usw_gpu_named *f = room->plugin->forms;
    while (f->stem != NULL && strcmp(f->stem, name) != 0) {
        f++;
    }
    assert_non_null(f->stem);
    return f->form;
}

void gpu_begin(gpu_room *room)
{
    room->plugin->begin(room->g, false);
    room->count = 0;
}

void *gpu_put(gpu_room *room, const void *host, size_t bytes, size_t off)
{
    size_t all = off + bytes + GPU_GUARD;
    unsigned char *at = room->plugin->scratch(room->g, all), *poison = malloc(all);
    assert_non_null(at);
    assert_true(room->count < GPU_ARRAYS);
    memset(poison, 0xA5, all);
    if (host != NULL && bytes > 0) {
        memcpy(poison + off, host, bytes);
    }
    assert_int_equal(room->plugin->upload(room->g, at, poison, all), UPSWEEP_OK);
    free(poison);
    room->arrays[room->count++] = (gpu_array){at + off, bytes};
    return at + off;
}

void gpu_get(gpu_room *room, void *host, const void *device, size_t bytes)
{
    if (bytes > 0) {
        assert_int_equal(room->plugin->download(room->g, host, device, bytes), UPSWEEP_OK);
    }
}

unsigned gpu_end(gpu_room *room)
{
    usw_gpu_fault_found fault;
    upsweep_status status = room->plugin->wait(room->g, &fault);
    if (status != UPSWEEP_OK && fault.code == 0) {
        fail_msg("%s", room->plugin->error(room->g));
    }
    for (unsigned a = 0; a < room->count; a++) {
        unsigned char guard[GPU_GUARD];
        gpu_get(room, guard, room->arrays[a].at + room->arrays[a].bytes, GPU_GUARD);
        for (unsigned i = 0; i < GPU_GUARD; i++) {
            assert_int_equal(guard[i], 0xA5);
        }
    }
    room->plugin->end(room->g);
    return fault.code;
}
