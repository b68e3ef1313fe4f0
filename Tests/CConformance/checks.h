// Functions shared by the parts of the conformance test.
#ifndef WOODSHED_CONFORMANCE_CHECKS_H
#define WOODSHED_CONFORMANCE_CHECKS_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <woodshed.h>

// The longest wait for an event that must happen, in seconds. Other tests may keep the machine busy for minutes.
#define PATIENCE 600.0

// Adds a line to the report. May be called on any thread.
void report_failure(const char *file, int line, const char *condition);

#define EXPECT(condition) \
    do { \
        if (!(condition)) report_failure(__FILE__, __LINE__, #condition); \
    } while (0)

// A refusal has a message naming the cause, and leaves NULL in the place for a result.
#define REFUSED(call) \
    do { \
        EXPECT((call) != WOODSHED_OK); \
        EXPECT(strlen(woodshed_error_message()) > 4); \
    } while (0)
#define INVALID(call) \
    do { \
        EXPECT((call) == WOODSHED_INVALID); \
        EXPECT(strlen(woodshed_error_message()) > 4); \
        EXPECT(strlen(woodshed_error_remedy()) > 4); \
    } while (0)

woodshed_engine *open_null(int clock, int ends);
// A plan of two sections, twice each.
void two_sections(woodshed_section *sections, woodshed_plan *plan);

void refuse_session_handle(void *handle, const char *recording);
void refuse_request_handle(void *handle, const char *recording);
void test_sessions(const char *recording, const char *folder);
void test_takes(const char *recording, const char *folder);
void test_progress(const char *recording, const char *folder);
void test_requests_of_listeners(const char *recording, const char *words, const char *folder);
void test_meters_and_comparisons(const char *recording, const char *words);

#endif
