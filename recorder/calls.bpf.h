/* System call numbers, one table an architecture. A call that an architecture lacks is simply absent. */
#ifndef AGENTSIGHT_CALLS_H
#define AGENTSIGHT_CALLS_H

#if defined(__TARGET_ARCH_x86)
#define NR_read 0
#define NR_write 1
#define NR_open 2
#define NR_close 3
#define NR_poll 7
#define NR_readv 19
#define NR_writev 20
#define NR_select 23
#define NR_sendfile 40
#define NR_connect 42
#define NR_accept 43
#define NR_sendto 44
#define NR_recvfrom 45
#define NR_sendmsg 46
#define NR_recvmsg 47
#define NR_bind 49
#define NR_truncate 76
#define NR_ftruncate 77
#define NR_rename 82
#define NR_mkdir 83
#define NR_rmdir 84
#define NR_creat 85
#define NR_link 86
#define NR_unlink 87
#define NR_symlink 88
#define NR_epoll_wait 232
#define NR_openat 257
#define NR_mkdirat 258
#define NR_unlinkat 263
#define NR_renameat 264
#define NR_linkat 265
#define NR_symlinkat 266
#define NR_pselect6 270
#define NR_ppoll 271
#define NR_epoll_pwait 281
#define NR_accept4 288
#define NR_recvmmsg 299
#define NR_sendmmsg 307
#define NR_renameat2 316
#define CALL_NR(regs) BPF_CORE_READ(regs, orig_ax)
#define ARG0(regs) BPF_CORE_READ(regs, di)
#define ARG1(regs) BPF_CORE_READ(regs, si)
#define ARG2(regs) BPF_CORE_READ(regs, dx)
#define ARG3(regs) BPF_CORE_READ(regs, r10)
#define ARG4(regs) BPF_CORE_READ(regs, r8)
#elif defined(__TARGET_ARCH_arm64)
#define NR_epoll_pwait 22
#define NR_mkdirat 34
#define NR_unlinkat 35
#define NR_symlinkat 36
#define NR_linkat 37
#define NR_renameat 38
#define NR_truncate 45
#define NR_ftruncate 46
#define NR_openat 56
#define NR_close 57
#define NR_read 63
#define NR_write 64
#define NR_readv 65
#define NR_writev 66
#define NR_sendfile 71
#define NR_pselect6 72
#define NR_ppoll 73
#define NR_bind 200
#define NR_accept 202
#define NR_connect 203
#define NR_sendto 206
#define NR_recvfrom 207
#define NR_sendmsg 211
#define NR_recvmsg 212
#define NR_accept4 242
#define NR_recvmmsg 243
#define NR_sendmmsg 269
#define NR_renameat2 276
#define CALL_NR(regs) BPF_CORE_READ(regs, syscallno)
#define ARG0(regs) BPF_CORE_READ(regs, orig_x0)
#define ARG1(regs) BPF_CORE_READ(regs, regs[1])
#define ARG2(regs) BPF_CORE_READ(regs, regs[2])
#define ARG3(regs) BPF_CORE_READ(regs, regs[3])
#define ARG4(regs) BPF_CORE_READ(regs, regs[4])
#endif
#define NR_io_uring_setup 425
#define NR_openat2 437
#define NR_epoll_pwait2 441

#define AT_FDCWD_ -100
#define AT_REMOVEDIR_ 0x200

#endif
