// Loads the library with dlopen(), twice, and ignores all child processes: host LIBRARY RECORDING FOLDER
//
// The library must not change the locale, the folder, signal handlers and masks, the rounding mode, or standard output.
#include <dlfcn.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <woodshed.h>

static int failures;
#define EXPECT(condition) \
    do { \
        if (!(condition)) failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    } while (0)

struct functions {
    const char *(*version)(void);
    woodshed_status (*open)(const char *, const woodshed_engine_options *, woodshed_engine **);
    woodshed_status (*open_pulled)(const woodshed_engine_options *, woodshed_engine **);
    woodshed_status (*open_clip)(woodshed_engine *, const char *, woodshed_clip **);
    woodshed_status (*open_player)(woodshed_engine *, woodshed_clip *, const woodshed_plan *, woodshed_player **);
    woodshed_status (*start_player)(woodshed_player *, int64_t);
    woodshed_status (*start)(woodshed_engine *);
    woodshed_status (*wait)(woodshed_engine *);
    woodshed_status (*close)(woodshed_engine *);
    woodshed_status (*close_clip)(woodshed_clip *);
    int32_t (*render)(woodshed_engine *, float *const *, int32_t, int64_t);
};

static struct functions functions_of(void *library) {
    struct functions found;
    *(void **)&found.version = dlsym(library, "woodshed_version");
    *(void **)&found.open = dlsym(library, "woodshed_engine_open");
    *(void **)&found.open_pulled = dlsym(library, "woodshed_engine_open_pulled");
    *(void **)&found.open_clip = dlsym(library, "woodshed_clip_open");
    *(void **)&found.open_player = dlsym(library, "woodshed_player_open");
    *(void **)&found.start_player = dlsym(library, "woodshed_player_start");
    *(void **)&found.start = dlsym(library, "woodshed_engine_start");
    *(void **)&found.wait = dlsym(library, "woodshed_engine_wait");
    *(void **)&found.close = dlsym(library, "woodshed_engine_close");
    *(void **)&found.close_clip = dlsym(library, "woodshed_clip_close");
    *(void **)&found.render = dlsym(library, "woodshed_engine_render");
    return found;
}

static void play(const struct functions *call, const char *recording, const char *output) {
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.ends_with_players = 1, options.clock = WOODSHED_CLOCK_VIRTUAL;
    woodshed_engine *engine;
    woodshed_clip *clip;
    woodshed_player *player;
    EXPECT(call->open(output, &options, &engine) == WOODSHED_OK);
    EXPECT(call->open_clip(engine, recording, &clip) == WOODSHED_OK);
    EXPECT(call->open_player(engine, clip, NULL, &player) == WOODSHED_OK);
    EXPECT(call->start_player(player, WOODSHED_NOW) == WOODSHED_OK);
    EXPECT(call->start(engine) == WOODSHED_OK);
    EXPECT(call->wait(engine) == WOODSHED_OK);
    EXPECT(call->close(engine) == WOODSHED_OK);
    EXPECT(call->close_clip(clip) == WOODSHED_OK);
}

struct job {
    const struct functions *call;
    const char *recording;
};

static void *play_beside(void *context) {
    struct job *job = context;
    play(job->call, job->recording, "null");
    return NULL;
}

static void handler(int number) { (void)number; }

int main(int count, char **arguments) {
    if (count != 4) return 64;
    setlocale(LC_ALL, "C");
    signal(SIGCHLD, SIG_IGN);
    signal(SIGINT, handler), signal(SIGPIPE, handler), signal(SIGTERM, handler), signal(SIGSEGV, handler);
    // Some signals may be ignored already, as in a shell's background.
    struct sigaction before[32], action;
    for (int number = 1; number < 32; number++) sigaction(number, NULL, &before[number]);
    sigset_t mask, mask_after;
    sigemptyset(&mask), sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    fesetround(FE_UPWARD);
    char folder[4096], folder_after[4096];
    EXPECT(getcwd(folder, sizeof folder));
    // The test reads these files afterwards for output of the library.
    fflush(stdout);
    FILE *said = tmpfile();
    int error = dup(2), output = dup(1);
    dup2(fileno(said), 1), dup2(fileno(said), 2);

    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    struct functions call = functions_of(library);
    char path[4200];
    snprintf(path, sizeof path, "file:%s/host.flac", arguments[3]);
    play(&call, arguments[2], path);
    struct job job = {&call, arguments[2]};
    pthread_t threads[4];
    for (int index = 0; index < 4; index++) pthread_create(&threads[index], NULL, play_beside, &job);
    for (int index = 0; index < 4; index++) pthread_join(threads[index], NULL);
    woodshed_engine *engine;
    EXPECT(call.open_pulled(NULL, &engine) == WOODSHED_OK && call.start(engine) == WOODSHED_OK);
    float buffer[64], *channels[2] = {buffer, buffer};
    EXPECT(call.render(engine, channels, 64, 0) == 64);
    EXPECT(fegetround() == FE_UPWARD);
    volatile float tiny = 1e-38f;
    EXPECT(tiny / 8 > 0);
    EXPECT(call.close(engine) == WOODSHED_OK);
    dlclose(library);
    library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    call = functions_of(library);
    play(&call, arguments[2], "null");

    dup2(error, 2), dup2(output, 1);
    EXPECT(ftell(said) == 0 && lseek(fileno(said), 0, SEEK_END) == 0);
    EXPECT(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
    EXPECT(getcwd(folder_after, sizeof folder_after) && strcmp(folder, folder_after) == 0);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    for (int number = 1; number < 32; number++) EXPECT(sigismember(&mask, number) == sigismember(&mask_after, number));
    for (int number = 1; number < 32; number++) {
        sigaction(number, NULL, &action);
        EXPECT(action.sa_handler == before[number].sa_handler);
    }
    EXPECT(fegetround() == FE_UPWARD);
    printf("host: %d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
