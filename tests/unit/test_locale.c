/* test_locale.c - numbers are read and printed as in C, whatever the program that uses the library has chosen.
 *
 * The locale is made here, with a decimal comma and dots between thousands, so that no package of locales is needed. */
#include "test.h"

#include <fcntl.h>
#include <locale.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "warpline/warpline.h"

static char folder[] = "/tmp/warpline-locale-XXXXXX";

/* The program's locale has a decimal comma from here on; false where localedef cannot make one. */
static bool choose_comma(void)
{
    static const char source[] = "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
    char file[64], made[64];
    if (!mkdtemp(folder)) return false;
    snprintf(file, sizeof file, "%s/source", folder);
    snprintf(made, sizeof made, "%s/comma", folder);
    FILE *f = fopen(file, "w");
    if (!f) return false;
    fputs(source, f);
    fclose(f);
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execlp("localedef", "localedef", "-c", "-i", file, made,
               (char *)NULL); /* -c: the other categories are missing */
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0) {
    }
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_NUMERIC, "comma") != NULL;
}

static int comma(void **state)
{
    static int chosen = -1;
    char text[16];
    if (chosen < 0) chosen = choose_comma();
    *state = chosen ? &chosen : NULL;
    if (!chosen) return 0;
    snprintf(text, sizeof text, "%.1f", 1.5);
    return strcmp(text, "1,5"); /* else nothing is tested */
}

static int tidy(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == -1;
}

/* vectoradd on a machine of a GPGPU-Sim file, whose clocks have fractions; the record without what tells of the host.
 */
static char *record(double *ipc)
{
    struct wl_run_spec spec = wl_spec("vectoradd");
    struct wl_result *r = NULL;
    char why[512] = "";
    spec.size = "tiny";
    spec.machine = WL_ROOT "/tests/configs/gtx480.config";
    wl_run(&spec, &r, why, sizeof why);
    assert_string_equal(why, "");
    assert_int_equal(wl_result_number(r, "ipc", ipc), 0);
    char *json = strdup(wl_result_json(r)), *host = json ? strstr(json, "\"host\"") : NULL;
    assert_non_null(host);
    *host = 0;
    wl_result_free(r);
    return json;
}

TEST_WITH(a_run_is_the_same_and_its_record_too, NULL, NULL)
{
    void *chosen = NULL;
    double ipc, with_comma;
    char *plain = record(&ipc), text[16];
    assert_int_equal(comma(&chosen), 0);
    if (!chosen) {
        free(plain);
        skip();
    }
    assert_true(ipc != (double)(int64_t)ipc); /* it has a fraction that can be lost */
    char *json = record(&with_comma);
    assert_true(with_comma == ipc);
    assert_string_equal(json, plain);
    free(json);
    free(plain);
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5"); /* the program has its own locale again */
}

TEST_WITH(numbers_are_read_as_in_c, comma, NULL)
{
    char *end;
    if (!*state) skip();
    assert_true(text_double("0.5x", &end) == 0.5);
    assert_string_equal(end, "x");
    assert_true(text_double("0,5", &end) == 0);
    assert_string_equal(end, ",5");
}

TEST_WITH(a_machine_is_opened, comma, tidy)
{
    const char *settings[] = {"l1d.ways=0.5", NULL};
    char why[512] = "";
    if (!*state) skip();
    struct wl_gpu *gpu = wl_gpu_open(WL_ROOT "/tests/configs/gtx480.config", NULL, why, sizeof why);
    assert_string_equal(why, "");
    wl_gpu_close(gpu);
    assert_null(wl_gpu_open("gtx480", settings, why, sizeof why));
    assert_non_null(strstr(why, "0.5"));
}
