/* pack.c - blocks of temporary files packed by liblz4, and whether that pays. */
/* SPDX-License-Identifier: MIT */
#include "external/pack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* ---- liblz4 ---- */

/* LZ4_VERSION_NUMBER from which an input may be cut short where its first bytes are unpacked. */
enum { VERSION_LEAST = 10903, STATE_WORDS = 2064, FAST = 1 };

/* Its functions, as lz4.h declares them: LZ4_versionNumber, LZ4_sizeofState,
 * LZ4_compress_fast_extState, LZ4_decompress_safe and LZ4_decompress_safe_partial. */
static struct {
    int (*version)(void);
    int (*state_bytes)(void);
    int (*pack)(void *state, const char *from, char *to, int bytes, int room, int speed);
    int (*unpack)(const char *from, char *to, int stored, int bytes);
    int (*unpack_begin)(const char *from, char *to, int stored, int bytes, int room);
    bool works;
} lz4;

static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void load(void)
{
    void *library = dlopen("liblz4.so.1", RTLD_NOW | RTLD_LOCAL);
    lz4.works = library != NULL && find(library, "LZ4_versionNumber", &lz4.version) &&
                find(library, "LZ4_sizeofState", &lz4.state_bytes) &&
                find(library, "LZ4_compress_fast_extState", &lz4.pack) &&
                find(library, "LZ4_decompress_safe", &lz4.unpack) &&
                find(library, "LZ4_decompress_safe_partial", &lz4.unpack_begin) &&
                lz4.version() >= VERSION_LEAST &&
                lz4.state_bytes() <= STATE_WORDS * (int)sizeof(uint64_t);
}

bool usw_pack_works(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    return pthread_once(&once, load) == 0 && lz4.works;
}

/* ---- blocks ---- */

/* Differs where a bit does, and where words are exchanged: what LZ4 unpacks need not be what was
 * packed. */
static uint32_t checksum(const unsigned char *p, size_t bytes)
{
    uint64_t sum = bytes, word;
    for (; bytes >= 8; p += 8, bytes -= 8) {
        memcpy(&word, p, 8);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    for (; bytes > 0; p++, bytes--) {
        sum = (sum ^ *p) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return (uint32_t)(sum >> 32);
}

size_t usw_pack(const unsigned char *from, size_t bytes, unsigned char *to, size_t room)
{
    uint64_t state[STATE_WORDS];
    if (bytes >= USW_PACK_MOST || room <= USW_PACK_SUM || !usw_pack_works()) {
        return 0;
    }
    int packed = lz4.pack(state, (const char *)from, (char *)to + USW_PACK_SUM, (int)bytes,
                          (int)(room - USW_PACK_SUM), FAST);
    if (packed <= 0) {
        return 0;
    }
    uint32_t sum = checksum(to + USW_PACK_SUM, (size_t)packed);
    memcpy(to, &sum, USW_PACK_SUM);
    return (size_t)packed + USW_PACK_SUM;
}

bool usw_unpack(const unsigned char *from, size_t stored, unsigned char *to, size_t bytes)
{
    uint32_t sum;
    if (stored <= USW_PACK_SUM || !usw_pack_works()) {
        return false;
    }
    memcpy(&sum, from, USW_PACK_SUM);
    const unsigned char *p = from + USW_PACK_SUM;
    stored -= USW_PACK_SUM;
    return checksum(p, stored) == sum &&
           lz4.unpack((const char *)p, (char *)to, (int)stored, (int)bytes) == (int)bytes;
}

bool usw_unpack_begin(const unsigned char *from, size_t stored, unsigned char *to, size_t bytes)
{
    return stored > USW_PACK_SUM && usw_pack_works() &&
           lz4.unpack_begin((const char *)from + USW_PACK_SUM, (char *)to,
                            (int)(stored - USW_PACK_SUM), (int)bytes, (int)bytes) == (int)bytes;
}

/* ---- whether it pays ---- */

enum {
    WRITTEN_LEAST = 2 << 20, /* bytes, before which a disk is not known; */
    WRITTEN_MOST = 32 << 20, /* after so many, what was before counts half, */
    FROM_MOST = 4 << 20      /* and after so many that were packed */
};

void usw_packing_note_write(usw_ext_packing *p, size_t bytes, double seconds)
{
    p->written += (double)bytes;
    p->write_seconds += seconds;
    while (p->written > WRITTEN_MOST) {
        p->written /= 2;
        p->write_seconds /= 2;
    }
}

void usw_packing_note_pack(usw_ext_packing *p, size_t from, size_t to, double seconds)
{
    p->from += (double)from;
    p->to += (double)to;
    p->pack_seconds += seconds;
    while (p->from > FROM_MOST) {
        p->from /= 2;
        p->to /= 2;
        p->pack_seconds /= 2;
    }
}

/* Packing must save half as much again as the time that it takes: it is work for a processor that
 * others may wait for, and unpacking takes a third as long. What reading saves is not known yet. */
bool usw_packing_pays(const usw_ext_packing *p)
{
    if (p->wish != USW_PACK_WHERE_FASTER || p->written < WRITTEN_LEAST || p->from <= 0) {
        return p->wish == USW_PACK_ALWAYS;
    }
    double saved = p->write_seconds / p->written * (p->from - p->to);
    return saved > 1.5 * p->pack_seconds;
}
