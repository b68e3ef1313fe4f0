// A library loaded before ALSA's: devices then permit only reading and writing, and no mapping into memory.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <dlfcn.h>

int snd_pcm_hw_params_set_access(snd_pcm_t *device, snd_pcm_hw_params_t *parameters, snd_pcm_access_t access) {
    if (access != SND_PCM_ACCESS_RW_INTERLEAVED && access != SND_PCM_ACCESS_RW_NONINTERLEAVED) return -EINVAL;
    int (*set)(snd_pcm_t *, snd_pcm_hw_params_t *, snd_pcm_access_t) =
        (int (*)(snd_pcm_t *, snd_pcm_hw_params_t *, snd_pcm_access_t))dlsym(RTLD_NEXT, "snd_pcm_hw_params_set_access");
    return set(device, parameters, access);
}
