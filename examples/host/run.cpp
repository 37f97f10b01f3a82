// run.cpp - the simulator in a C++ program: a scheduler of our own, and every counter that is not zero.
//
//     c++ -std=c++17 run.cpp $(pkg-config --cflags --libs warpline) -o run && ./run
//
// The scheduler lets the youngest ready warp issue.
#include <cstdio>
#include <memory>

#include <warpline/sched.h>
#include <warpline/warpline.h>

namespace
{

// The candidate that was launched last.
int pick(const wl_sched *, const wl_sched_view *view, unsigned, uint64_t candidates)
{
    int best = -1;
    for (int warp = 0; warp < 64; warp++)
        if (candidates >> warp & 1 && (best < 0 || view->age[warp] > view->age[best])) best = warp;
    return best;
}

struct free_result {
    void operator()(wl_result *r) const { wl_result_free(r); }
};

} // namespace

int main()
{
    char why[512];
    static wl_sched_policy youngest; // stays in use until the program ends
    youngest.abi = WL_ABI;
    youngest.name = "youngest";
    youngest.help = "the youngest ready warp issues";
    youngest.pick = pick;
    const char *const settings[] = {"sched=youngest", nullptr};
    wl_run_spec spec = wl_spec("atax");
    spec.size = "tiny";
    spec.settings = settings;
    wl_result *raw = nullptr;
    if (wl_register_sched_policy(&youngest, why, sizeof why) || wl_run(&spec, &raw, why, sizeof why)) {
        std::fprintf(stderr, "%s\n", why);
        return 1;
    }
    std::unique_ptr<wl_result, free_result> result(raw);
    for (std::size_t i = 0; const char *name = wl_result_counter_name(raw, i); i++) {
        uint64_t value = 0;
        wl_result_counter(raw, name, &value);
        if (value) std::printf("%-40s %12llu\n", name, static_cast<unsigned long long>(value));
    }
    double ipc = 0;
    wl_result_number(raw, "ipc", &ipc);
    std::printf("%-40s %12.3f\n", "ipc", ipc);
}
