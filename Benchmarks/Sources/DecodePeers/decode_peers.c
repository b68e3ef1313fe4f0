#include "decode_peers.h"

#include <fftw3.h>
#include <fmt123.h>
#include <mpg123.h>
#include <sndfile.h>
#include <stdlib.h>
#include <time.h>

int64_t decode_with_sndfile(const char *path, int as_float) {
    SF_INFO info = {0};
    SNDFILE *file = sf_open(path, SFM_READ, &info);
    if (!file) return -1;
    const sf_count_t block = 8192;
    void *samples = malloc((size_t)block * (size_t)info.channels * sizeof(float));
    int64_t frames = 0;
    sf_count_t count;
    do {
        count = as_float ? sf_readf_float(file, samples, block) : sf_readf_short(file, samples, block);
        frames += count;
    } while (count > 0);
    free(samples);
    sf_close(file);
    return frames;
}

int64_t decode_with_mpg123(const char *path) {
    mpg123_handle *handle = mpg123_new(NULL, NULL);
    if (!handle) return -1;
    mpg123_param2(handle, MPG123_ADD_FLAGS, MPG123_QUIET | MPG123_FORCE_FLOAT, 0);
    long rate;
    int channels, encoding;
    int64_t bytes = -1;
    if (mpg123_open(handle, path) == MPG123_OK && mpg123_getformat(handle, &rate, &channels, &encoding) == MPG123_OK) {
        static float samples[2 * 8192];
        size_t done = 0;
        bytes = 0;
        while (mpg123_read(handle, samples, sizeof samples, &done) == MPG123_OK) bytes += (int64_t)done;
        bytes /= channels * (int64_t)sizeof(float);
    }
    mpg123_delete(handle);
    return bytes;
}

double fftw_measured_seconds(int size, int count) {
    float *samples = fftwf_alloc_real((size_t)size);
    fftwf_complex *spectrum = fftwf_alloc_complex((size_t)size / 2 + 1);
    fftwf_plan plan = fftwf_plan_dft_r2c_1d(size, samples, spectrum, FFTW_MEASURE);
    for (int index = 0; index < size; index++) samples[index] = (float)(index % 17) / 17;
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (int index = 0; index < count; index++) fftwf_execute(plan);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    fftwf_destroy_plan(plan);
    fftwf_free(samples);
    fftwf_free(spectrum);
    return ((double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec)) / count;
}
