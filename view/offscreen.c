/* offscreen.c - EGL: finds a display that gives a context without a surface. On a machine with an
 * NVIDIA GPU that is the EGL device which belongs to the CUDA device; else Mesa's surfaceless
 * platform, which is software where there is no GPU. */
/* SPDX-License-Identifier: MIT */
#include "view/offscreen.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 32 };

static bool has(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *p = list; p != NULL && (p = strstr(p, name)) != NULL; p += length) {
        if ((p == list || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* A context on this display, which is made current. */
static bool try_display(view_offscreen *o, EGLDisplay display)
{
    static const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                    4,
                                    EGL_CONTEXT_MINOR_VERSION,
                                    5,
                                    EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                    EGL_NONE};
    EGLint major, minor;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) {
        return false;
    }
    if (eglBindAPI(EGL_OPENGL_API)) {
        EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
        if (context != EGL_NO_CONTEXT &&
            eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
            o->display = display;
            o->context = context;
            return true;
        }
        if (context != EGL_NO_CONTEXT) {
            eglDestroyContext(display, context);
        }
    }
    eglTerminate(display);
    return false;
}

static bool is_cuda_device(EGLDeviceEXT device, int cuda_device)
{
    EGLAttrib number = -1;
    return has(eglQueryDeviceStringEXT(device, EGL_EXTENSIONS), "EGL_NV_device_cuda") &&
           eglQueryDeviceAttribEXT(device, EGL_CUDA_DEVICE_NV, &number) && number == cuda_device;
}

/* EGL devices: cuda_device >= 0: that one; else all that are not software. */
static bool try_devices(view_offscreen *o, const char *extensions, int cuda_device)
{
    EGLDeviceEXT devices[DEVICES];
    EGLint count = 0;
    if (!has(extensions, "EGL_EXT_platform_device") ||
        (!has(extensions, "EGL_EXT_device_enumeration") &&
         !has(extensions, "EGL_EXT_device_base")) ||
        !eglQueryDevicesEXT(DEVICES, devices, &count)) {
        return false;
    }
    for (EGLint k = 0; k < count; k++) {
        bool software =
            has(eglQueryDeviceStringEXT(devices[k], EGL_EXTENSIONS), "EGL_MESA_device_software");
        bool wanted = cuda_device >= 0 ? is_cuda_device(devices[k], cuda_device) : !software;
        if (wanted &&
            try_display(o, eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[k], NULL))) {
            snprintf(o->device, sizeof o->device,
                     cuda_device >= 0 ? "EGL device %d, which is CUDA device %d" : "EGL device %d",
                     k, cuda_device);
            return true;
        }
    }
    return false;
}

static bool find_display(view_offscreen *o, int cuda_device, char why[VIEW_WHY])
{
    setenv("EGL_LOG_LEVEL", "fatal", 0); /* Mesa would speak of every driver that it tries */
    if (!epoxy_has_egl()) {
        snprintf(why, VIEW_WHY, "drawing without a window needs EGL, and libEGL.so.1 is not here");
        return false;
    }
    const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    bool software = getenv("LIBGL_ALWAYS_SOFTWARE") != NULL;
    if (!software && try_devices(o, extensions, cuda_device)) {
        return true;
    }
    if (!software && cuda_device >= 0 && try_devices(o, extensions, -1)) {
        return true;
    }
    if (has(extensions, "EGL_MESA_platform_surfaceless") &&
        try_display(o, eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY,
                                                NULL))) {
        snprintf(o->device, sizeof o->device, "EGL without a surface");
        return true;
    }
    if (try_display(o, eglGetDisplay(EGL_DEFAULT_DISPLAY))) {
        snprintf(o->device, sizeof o->device, "EGL's default display");
        return true;
    }
    snprintf(why, VIEW_WHY, "no driver gives OpenGL 4.5 without a window; Mesa's would do");
    return false;
}

bool view_offscreen_open(view_offscreen *o, int width, int height, int cuda_device,
                         char why[VIEW_WHY])
{
    *o = (view_offscreen){.width = width, .height = height};
    if (!find_display(o, cuda_device, why)) {
        return false;
    }
    glCreateRenderbuffers(1, &o->colour);
    glNamedRenderbufferStorage(o->colour, GL_RGBA8, width, height);
    glCreateFramebuffers(1, &o->framebuffer);
    glNamedFramebufferRenderbuffer(o->framebuffer, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                   o->colour);
    if (glCheckNamedFramebufferStatus(o->framebuffer, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        snprintf(why, VIEW_WHY, "OpenGL gives no picture of %d x %d pixels", width, height);
        view_offscreen_close(o);
        return false;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffer);
    return true;
}

void view_offscreen_close(view_offscreen *o)
{
    if (o->context != NULL) {
        glDeleteFramebuffers(1, &o->framebuffer);
        glDeleteRenderbuffers(1, &o->colour);
        eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(o->display, o->context);
        eglTerminate(o->display);
        o->context = NULL;
    }
}
