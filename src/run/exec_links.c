/* exec_links.c - which of the vendor's libraries a program is linked with.
 *
 * cuBLAS, cuDNN and their kin are machine code for real GPUs: nothing of them can run here. A program that needs one
 * would end in the loader, or in a library that finds no GPU; the user is told before. Only the executable itself is
 * read, its list of needed libraries (DT_NEEDED); what is wrong with the file is the loader's business. */
#include "run/exec_run.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *file, *name; /* the beginning of the file's name */
} libraries[] = {
    {"libcublasLt.so", "cuBLASLt"},
    {"libcublas.so", "cuBLAS"},
    {"libcudnn", "cuDNN"},
    {"libcufft", "cuFFT"},
    {"libcusparse", "cuSPARSE"},
    {"libcusolver", "cuSOLVER"},
    {"libcurand", "cuRAND"},
    {"libcutensor", "cuTENSOR"},
    {"libnccl", "NCCL"},
    {"libnpp", "NPP"},
    {"libnvjpeg", "nvJPEG"},
    {"libnvinfer", "TensorRT"},
    {"libnvblas", "NVBLAS"},
    {"libcusparseLt", "cuSPARSELt"},
    {"libnvJitLink", "nvJitLink"},
    {"libcufile", "cuFile"},
    {"libnvshmem", "NVSHMEM"},
    {"libnvgraph", "nvGRAPH"},
};

struct elf {
    const char *bytes;
    size_t size;
};

/* `count` things of `size` bytes at an offset of the file; NULL: outside. */
static const void *part(const struct elf *e, uint64_t at, uint64_t size, uint64_t count)
{
    if (at > e->size || (size && count > (e->size - at) / size)) return NULL;
    return e->bytes + at;
}

/* The place in the file of an address of the program. */
static uint64_t place(const struct elf *e, const Elf64_Phdr *p, unsigned n, uint64_t addr)
{
    for (unsigned i = 0; i < n; i++)
        if (p[i].p_type == PT_LOAD && addr >= p[i].p_vaddr && addr - p[i].p_vaddr < p[i].p_filesz)
            return p[i].p_offset + (addr - p[i].p_vaddr);
    return e->size; /* nowhere */
}

static void name_library(const char *needed, char *out, size_t size)
{
    size_t at = strlen(out);
    for (unsigned i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        if (strncmp(needed, libraries[i].file, strlen(libraries[i].file)) != 0) continue;
        snprintf(out + at, size - at, "%s%s (%.60s)", at ? ", " : "", libraries[i].name, needed);
        return;
    }
}

static void read_needed(const struct elf *e, char *out, size_t size)
{
    const Elf64_Ehdr *h = part(e, 0, sizeof *h, 1);
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64) return;
    const Elf64_Phdr *p = part(e, h->e_phoff, sizeof *p, h->e_phnum);
    const Elf64_Dyn *dyn = NULL;
    uint64_t count = 0, strings = e->size;
    for (unsigned i = 0; p && i < h->e_phnum; i++) {
        if (p[i].p_type != PT_DYNAMIC) continue;
        count = p[i].p_filesz / sizeof *dyn;
        dyn = part(e, p[i].p_offset, sizeof *dyn, count);
    }
    for (uint64_t i = 0; dyn && i < count && dyn[i].d_tag != DT_NULL; i++)
        if (dyn[i].d_tag == DT_STRTAB) strings = place(e, p, h->e_phnum, dyn[i].d_un.d_ptr);
    for (uint64_t i = 0; dyn && i < count && dyn[i].d_tag != DT_NULL; i++) {
        uint64_t at = strings + dyn[i].d_un.d_val;
        if (dyn[i].d_tag != DT_NEEDED || at >= e->size || !memchr(e->bytes + at, 0, e->size - at)) continue;
        name_library(e->bytes + at, out, size);
    }
}

bool exec_links(const char *program, char *out, size_t size)
{
    FILE *f = fopen(program, "rb");
    struct elf e = {0};
    char *bytes = NULL;
    *out = 0;
    if (f && fseek(f, 0, SEEK_END) == 0) {
        long end = ftell(f);
        rewind(f);
        bytes = end > 0 ? malloc((size_t)end) : NULL;
        if (bytes && fread(bytes, 1, (size_t)end, f) == (size_t)end) e = (struct elf){bytes, (size_t)end};
    }
    if (f) fclose(f);
    if (e.bytes) read_needed(&e, out, size);
    free(bytes);
    return *out;
}
