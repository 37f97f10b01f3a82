/* nvrtc.h - private to cuda/nvrtc: the interface of NVRTC, CUDA's compiler at run time. NVRTC_SONAME and NVRTC_MAJOR
 * are those of the version that the library stands for. */
#ifndef WL_CUDA_NVRTC_NVRTC_H
#define WL_CUDA_NVRTC_NVRTC_H

#include <stddef.h>
#include <stdint.h>

enum nvrtc_result {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10
};
struct nvrtc_program; /* nvrtcProgram */

enum nvrtc_result nvrtcVersion(int *major, int *minor);
const char *nvrtcGetErrorString(enum nvrtc_result result);
enum nvrtc_result nvrtcGetNumSupportedArchs(int *count);
enum nvrtc_result nvrtcGetSupportedArchs(int *list);
enum nvrtc_result nvrtcCreateProgram(struct nvrtc_program **out, const char *source, const char *name, int headers,
                                     const char *const *header, const char *const *include);
enum nvrtc_result nvrtcDestroyProgram(struct nvrtc_program **prog);
enum nvrtc_result nvrtcCompileProgram(struct nvrtc_program *p, int options, const char *const *option);
enum nvrtc_result nvrtcGetPTXSize(struct nvrtc_program *p, size_t *size);
enum nvrtc_result nvrtcGetPTX(struct nvrtc_program *p, char *ptx);
enum nvrtc_result nvrtcGetCUBINSize(struct nvrtc_program *p, size_t *size);
enum nvrtc_result nvrtcGetCUBIN(struct nvrtc_program *p, char *cubin);
enum nvrtc_result nvrtcGetProgramLogSize(struct nvrtc_program *p, size_t *size);
enum nvrtc_result nvrtcGetProgramLog(struct nvrtc_program *p, char *log);
enum nvrtc_result nvrtcAddNameExpression(struct nvrtc_program *p, const char *expression);
enum nvrtc_result nvrtcGetLoweredName(struct nvrtc_program *p, const char *expression, const char **name);
enum nvrtc_result nvrtcGetLTOIRSize(struct nvrtc_program *p, size_t *size);
enum nvrtc_result nvrtcGetLTOIR(struct nvrtc_program *p, char *code);

#endif
