// Every system call of x86_64 and of arm64 up to Linux 6.18, each in exactly one group: its number
// there, its number here, its name. Pure data: a call that is not here does not exist for us and
// answers ENOSYS. Numbers are ours because libseccomp 2.5.4 and Debian 12's kernel headers end at
// Linux 6.0 (450). From 424 on a call has one number on all machines; what arm64 lacks is older
// than it, and done there by the call that replaced it (open by openat, fork by clone).
#include <cerrno>

#include "seccomp/calls.hpp"

namespace sbx::seccomp {
namespace {

constexpr Call kBasicIo[] = {{0, 63, "read"},
                             {1, 64, "write"},
                             {17, 67, "pread64"},
                             {18, 68, "pwrite64"},
                             {19, 65, "readv"},
                             {20, 66, "writev"},
                             {295, 69, "preadv"},
                             {296, 70, "pwritev"},
                             {327, 286, "preadv2"},
                             {328, 287, "pwritev2"},
                             {8, 62, "lseek"},
                             {3, 57, "close"},
                             {436, 436, "close_range"},
                             {32, 23, "dup"},
                             {33, kNone, "dup2"},
                             {292, 24, "dup3"},
                             {22, kNone, "pipe"},
                             {293, 59, "pipe2"},
                             {72, 25, "fcntl"},
                             {16, 29, "ioctl"},
                             {40, 71, "sendfile"},
                             {275, 76, "splice"},
                             {276, 77, "tee"},
                             {278, 75, "vmsplice"},
                             {326, 285, "copy_file_range"}};
constexpr Call kFileSystem[] = {{2, kNone, "open"},
                                {257, 56, "openat"},
                                {85, kNone, "creat"},
                                {4, kNone, "stat"},
                                {5, 80, "fstat"},
                                {6, kNone, "lstat"},
                                {262, 79, "newfstatat"},
                                {332, 291, "statx"},
                                {137, 43, "statfs"},
                                {138, 44, "fstatfs"},
                                {21, kNone, "access"},
                                {269, 48, "faccessat"},
                                {439, 439, "faccessat2"},
                                {79, 17, "getcwd"},
                                {80, 49, "chdir"},
                                {81, 50, "fchdir"},
                                {82, kNone, "rename"},
                                {264, 38, "renameat"},
                                {316, 276, "renameat2"},
                                {83, kNone, "mkdir"},
                                {258, 34, "mkdirat"},
                                {84, kNone, "rmdir"},
                                {86, kNone, "link"},
                                {265, 37, "linkat"},
                                {87, kNone, "unlink"},
                                {263, 35, "unlinkat"},
                                {88, kNone, "symlink"},
                                {266, 36, "symlinkat"},
                                {89, kNone, "readlink"},
                                {267, 78, "readlinkat"},
                                {90, kNone, "chmod"},
                                {91, 52, "fchmod"},
                                {268, 53, "fchmodat"},
                                {452, 452, "fchmodat2"},
                                {92, kNone, "chown"},
                                {93, 55, "fchown"},
                                {94, kNone, "lchown"},
                                {260, 54, "fchownat"},
                                {95, 166, "umask"},
                                {133, kNone, "mknod"},
                                {259, 33, "mknodat"},
                                {76, 45, "truncate"},
                                {77, 46, "ftruncate"},
                                {285, 47, "fallocate"},
                                {221, 223, "fadvise64"},
                                {187, 213, "readahead"},
                                {73, 32, "flock"},
                                {78, kNone, "getdents"},
                                {217, 61, "getdents64"},
                                {132, kNone, "utime"},
                                {235, kNone, "utimes"},
                                {261, kNone, "futimesat"},
                                {280, 88, "utimensat"},
                                {188, 5, "setxattr"},
                                {189, 6, "lsetxattr"},
                                {190, 7, "fsetxattr"},
                                {463, 463, "setxattrat"},
                                {191, 8, "getxattr"},
                                {192, 9, "lgetxattr"},
                                {193, 10, "fgetxattr"},
                                {464, 464, "getxattrat"},
                                {194, 11, "listxattr"},
                                {195, 12, "llistxattr"},
                                {196, 13, "flistxattr"},
                                {465, 465, "listxattrat"},
                                {197, 14, "removexattr"},
                                {198, 15, "lremovexattr"},
                                {199, 16, "fremovexattr"},
                                {466, 466, "removexattrat"},
                                {253, kNone, "inotify_init"},
                                {294, 26, "inotify_init1"},
                                {254, 27, "inotify_add_watch"},
                                {255, 28, "inotify_rm_watch"},
                                {451, 451, "cachestat"},
                                {468, 468, "file_getattr"},
                                {469, 469, "file_setattr"}};
constexpr Call kSync[] = {{74, 82, "fsync"},    {75, 83, "fdatasync"},        {162, 81, "sync"},
                          {306, 267, "syncfs"}, {277, 84, "sync_file_range"}, {26, 227, "msync"}};
constexpr Call kAio[] = {{206, 0, "io_setup"},     {207, 1, "io_destroy"},
                         {209, 2, "io_submit"},    {210, 3, "io_cancel"},
                         {208, 4, "io_getevents"}, {333, 292, "io_pgetevents"}};
constexpr Call kIoEvent[] = {
    {7, kNone, "poll"},         {271, 73, "ppoll"},           {23, kNone, "select"},
    {270, 72, "pselect6"},      {213, kNone, "epoll_create"}, {291, 20, "epoll_create1"},
    {233, 21, "epoll_ctl"},     {232, kNone, "epoll_wait"},   {281, 22, "epoll_pwait"},
    {441, 441, "epoll_pwait2"}, {284, kNone, "eventfd"},      {290, 19, "eventfd2"}};
constexpr Call kMemory[] = {{12, 214, "brk"},
                            {9, 222, "mmap"},
                            {11, 215, "munmap"},
                            {10, 226, "mprotect"},
                            {25, 216, "mremap"},
                            {28, 233, "madvise"},
                            {27, 232, "mincore"},
                            {149, 228, "mlock"},
                            {325, 284, "mlock2"},
                            {150, 229, "munlock"},
                            {151, 230, "mlockall"},
                            {152, 231, "munlockall"},
                            {216, 234, "remap_file_pages"},
                            {330, 289, "pkey_alloc"},
                            {331, 290, "pkey_free"},
                            {329, 288, "pkey_mprotect"},
                            {319, 279, "memfd_create"},
                            {462, 462, "mseal"},
                            {453, 453, "map_shadow_stack"},
                            {239, 236, "get_mempolicy"},
                            {238, 237, "set_mempolicy"}};
constexpr Call kProcess[] = {
    {56, 220, "clone"},      {57, kNone, "fork"},      {58, kNone, "vfork"},
    {59, 221, "execve"},     {322, 281, "execveat"},   {60, 93, "exit"},
    {231, 94, "exit_group"}, {61, 260, "wait4"},       {247, 95, "waitid"},
    {39, 172, "getpid"},     {110, 173, "getppid"},    {186, 178, "gettid"},
    {121, 155, "getpgid"},   {109, 154, "setpgid"},    {111, kNone, "getpgrp"},
    {124, 156, "getsid"},    {112, 157, "setsid"},     {434, 434, "pidfd_open"},
    {157, 167, "prctl"},     {135, 92, "personality"}, {335, kNone, "uretprobe"},
    {336, kNone, "uprobe"}};
constexpr Call kThreads[] = {
    {158, kNone, "arch_prctl"},   {205, kNone, "set_thread_area"}, {211, kNone, "get_thread_area"},
    {218, 96, "set_tid_address"}, {273, 99, "set_robust_list"},    {274, 100, "get_robust_list"},
    {334, 293, "rseq"},           {324, 283, "membarrier"},        {202, 98, "futex"},
    {449, 449, "futex_waitv"},    {454, 454, "futex_wake"},        {455, 455, "futex_wait"},
    {456, 456, "futex_requeue"}};
constexpr Call kCredentials[] = {
    {102, 174, "getuid"},    {107, 175, "geteuid"},   {104, 176, "getgid"},
    {108, 177, "getegid"},   {115, 158, "getgroups"}, {118, 148, "getresuid"},
    {120, 150, "getresgid"}, {105, 146, "setuid"},    {106, 144, "setgid"},
    {113, 145, "setreuid"},  {114, 143, "setregid"},  {117, 147, "setresuid"},
    {119, 149, "setresgid"}, {122, 151, "setfsuid"},  {123, 152, "setfsgid"},
    {116, 159, "setgroups"}, {125, 90, "capget"},     {126, 91, "capset"}};
constexpr Call kSignal[] = {{13, 134, "rt_sigaction"},
                            {14, 135, "rt_sigprocmask"},
                            {15, 139, "rt_sigreturn"},
                            {127, 136, "rt_sigpending"},
                            {128, 137, "rt_sigtimedwait"},
                            {130, 133, "rt_sigsuspend"},
                            {129, 138, "rt_sigqueueinfo"},
                            {297, 240, "rt_tgsigqueueinfo"},
                            {131, 132, "sigaltstack"},
                            {62, 129, "kill"},
                            {200, 130, "tkill"},
                            {234, 131, "tgkill"},
                            {424, 424, "pidfd_send_signal"},
                            {34, kNone, "pause"},
                            {282, kNone, "signalfd"},
                            {289, 74, "signalfd4"},
                            {219, 128, "restart_syscall"}};
constexpr Call kTimer[] = {
    {201, kNone, "time"},        {96, 169, "gettimeofday"},      {228, 113, "clock_gettime"},
    {229, 114, "clock_getres"},  {230, 115, "clock_nanosleep"},  {35, 101, "nanosleep"},
    {37, kNone, "alarm"},        {36, 102, "getitimer"},         {38, 103, "setitimer"},
    {100, 153, "times"},         {222, 107, "timer_create"},     {223, 110, "timer_settime"},
    {224, 108, "timer_gettime"}, {225, 109, "timer_getoverrun"}, {226, 111, "timer_delete"},
    {283, 85, "timerfd_create"}, {286, 86, "timerfd_settime"},   {287, 87, "timerfd_gettime"}};
constexpr Call kIpc[] = {
    {29, 194, "shmget"},           {30, 196, "shmat"},      {67, 197, "shmdt"},
    {31, 195, "shmctl"},           {64, 190, "semget"},     {65, 193, "semop"},
    {220, 192, "semtimedop"},      {66, 191, "semctl"},     {68, 186, "msgget"},
    {69, 189, "msgsnd"},           {70, 188, "msgrcv"},     {71, 187, "msgctl"},
    {240, 180, "mq_open"},         {241, 181, "mq_unlink"}, {242, 182, "mq_timedsend"},
    {243, 183, "mq_timedreceive"}, {244, 184, "mq_notify"}, {245, 185, "mq_getsetattr"}};
constexpr Call kNetworkIo[] = {
    {41, 198, "socket"},     {53, 199, "socketpair"},  {49, 200, "bind"},
    {50, 201, "listen"},     {43, 202, "accept"},      {288, 242, "accept4"},
    {42, 203, "connect"},    {51, 204, "getsockname"}, {52, 205, "getpeername"},
    {55, 209, "getsockopt"}, {54, 208, "setsockopt"},  {48, 210, "shutdown"},
    {44, 206, "sendto"},     {46, 211, "sendmsg"},     {307, 269, "sendmmsg"},
    {45, 207, "recvfrom"},   {47, 212, "recvmsg"},     {299, 243, "recvmmsg"}};
constexpr Call kResources[] = {{97, 163, "getrlimit"},
                               {160, 164, "setrlimit"},
                               {302, 261, "prlimit64"},
                               {98, 165, "getrusage"},
                               {140, 141, "getpriority"},
                               {141, 140, "setpriority"},
                               {252, 31, "ioprio_get"},
                               {251, 30, "ioprio_set"},
                               {24, 124, "sched_yield"},
                               {204, 123, "sched_getaffinity"},
                               {203, 122, "sched_setaffinity"},
                               {143, 121, "sched_getparam"},
                               {142, 118, "sched_setparam"},
                               {145, 120, "sched_getscheduler"},
                               {144, 119, "sched_setscheduler"},
                               {315, 275, "sched_getattr"},
                               {314, 274, "sched_setattr"},
                               {146, 125, "sched_get_priority_max"},
                               {147, 126, "sched_get_priority_min"},
                               {148, 127, "sched_rr_get_interval"},
                               {309, 168, "getcpu"}};
constexpr Call kSystemInfo[] = {{63, 160, "uname"}, {99, 179, "sysinfo"}, {318, 278, "getrandom"}};
constexpr Call kSandbox[] = {{317, 277, "seccomp"},
                             {444, 444, "landlock_create_ruleset"},
                             {445, 445, "landlock_add_rule"},
                             {446, 446, "landlock_restrict_self"}};
constexpr Call kDebug[] = {
    {101, 117, "ptrace"},          {310, 270, "process_vm_readv"}, {311, 271, "process_vm_writev"},
    {440, 440, "process_madvise"}, {448, 448, "process_mrelease"}, {312, 272, "kcmp"},
    {438, 438, "pidfd_getfd"}};
constexpr Call kKeyring[] = {
    {248, 217, "add_key"}, {249, 218, "request_key"}, {250, 219, "keyctl"}};
constexpr Call kIoUring[] = {
    {425, 425, "io_uring_setup"}, {426, 426, "io_uring_enter"}, {427, 427, "io_uring_register"}};
constexpr Call kPerf[] = {{298, 241, "perf_event_open"}};
constexpr Call kUserfault[] = {{323, 282, "userfaultfd"}};
constexpr Call kNuma[] = {{237, 235, "mbind"},
                          {450, 450, "set_mempolicy_home_node"},
                          {279, 239, "move_pages"},
                          {256, 238, "migrate_pages"}};
constexpr Call kFileWatch[] = {{300, 262, "fanotify_init"}, {301, 263, "fanotify_mark"}};
constexpr Call kMountInfo[] = {{457, 457, "statmount"}, {458, 458, "listmount"}};
constexpr Call kLsm[] = {{459, 459, "lsm_get_self_attr"},
                         {460, 460, "lsm_set_self_attr"},
                         {461, 461, "lsm_list_modules"}};
constexpr Call kSecretMemory[] = {{447, 447, "memfd_secret"}};
constexpr Call kCpuEmulation[] = {{154, kNone, "modify_ldt"}};
constexpr Call kObsolete[] = {
    {156, kNone, "_sysctl"},       {174, kNone, "create_module"}, {177, kNone, "get_kernel_syms"},
    {178, kNone, "query_module"},  {180, 42, "nfsservctl"},       {181, kNone, "getpmsg"},
    {182, kNone, "putpmsg"},       {183, kNone, "afs_syscall"},   {184, kNone, "tuxcall"},
    {185, kNone, "security"},      {236, kNone, "vserver"},       {134, kNone, "uselib"},
    {136, kNone, "ustat"},         {139, kNone, "sysfs"},         {212, 18, "lookup_dcookie"},
    {214, kNone, "epoll_ctl_old"}, {215, kNone, "epoll_wait_old"}};
constexpr Call kNamespaces[] = {{272, 97, "unshare"}, {308, 268, "setns"}};
constexpr Call kUnchecked[] = {{435, 435, "clone3"}, {437, 437, "openat2"}};
constexpr Call kMount[] = {
    {165, 40, "mount"},       {166, 39, "umount2"},    {155, 41, "pivot_root"},
    {161, 51, "chroot"},      {428, 428, "open_tree"}, {467, 467, "open_tree_attr"},
    {429, 429, "move_mount"}, {430, 430, "fsopen"},    {431, 431, "fsconfig"},
    {432, 432, "fsmount"},    {433, 433, "fspick"},    {442, 442, "mount_setattr"}};
constexpr Call kFileHandles[] = {{303, 264, "name_to_handle_at"}, {304, 265, "open_by_handle_at"}};
constexpr Call kBpf[] = {{321, 280, "bpf"}};
constexpr Call kModule[] = {
    {175, 105, "init_module"}, {313, 273, "finit_module"}, {176, 106, "delete_module"}};
constexpr Call kReboot[] = {
    {169, 142, "reboot"}, {246, 104, "kexec_load"}, {320, 294, "kexec_file_load"}};
constexpr Call kSwap[] = {{167, 224, "swapon"}, {168, 225, "swapoff"}};
constexpr Call kRawIo[] = {{172, kNone, "iopl"}, {173, kNone, "ioperm"}};
constexpr Call kClock[] = {{227, 112, "clock_settime"},
                           {305, 266, "clock_adjtime"},
                           {159, 171, "adjtimex"},
                           {164, 170, "settimeofday"}};
constexpr Call kHost[] = {{170, 161, "sethostname"}, {171, 162, "setdomainname"},
                          {163, 89, "acct"},         {179, 60, "quotactl"},
                          {443, 443, "quotactl_fd"}, {103, 116, "syslog"},
                          {153, 58, "vhangup"}};

// The order is the order of `explain` and of the manual: what runs, what may be asked for, what
// never runs.
constexpr Group kGroups[] = {
    {"@basic-io", "reads, writes and descriptors: nothing works without them", Standing::allowed, 0,
     kBasicIo},
    {"@file-system", "files and folders; the mount namespace and Landlock decide which ones",
     Standing::allowed, 0, kFileSystem},
    {"@sync", "puts written files onto the disk, as databases and package managers do",
     Standing::allowed, 0, kSync},
    {"@aio", "the older asynchronous I/O, which checks each file as read and write do",
     Standing::allowed, 0, kAio},
    {"@io-event", "waits on several descriptors: every event loop", Standing::allowed, 0, kIoEvent},
    {"@memory", "the process's own memory, its protection and its placement", Standing::allowed, 0,
     kMemory},
    {"@process", "starts, names and awaits processes; namespaces are cut out by argument",
     Standing::allowed, 0, kProcess},
    {"@threads", "thread set-up and locks of every C library and language runtime",
     Standing::allowed, 0, kThreads},
    {"@credentials", "own ids and capabilities: one id is mapped and no capability is left to use",
     Standing::allowed, 0, kCredentials},
    {"@signal", "signals; the pid namespace decides whom they reach", Standing::allowed, 0,
     kSignal},
    {"@timer", "reads clocks and sleeps; setting a clock is in @clock", Standing::allowed, 0,
     kTimer},
    {"@ipc", "System V and POSIX queues, inside the sandbox's own IPC namespace", Standing::allowed,
     0, kIpc},
    {"@network-io",
     "sockets; the families are cut down by argument, the network namespace decides the rest",
     Standing::allowed, 0, kNetworkIo},
    {"@resources",
     "own priority, processors and limits, which can only get tighter without capabilities",
     Standing::allowed, 0, kResources},
    {"@system-info", "the machine as uname and free show it, and random numbers", Standing::allowed,
     0, kSystemInfo},
    {"@sandbox", "can only take rights away from the caller", Standing::allowed, 0, kSandbox},
    {"@debug", "looks into other processes: debuggers, strace, sanitizers; init stays out of reach",
     Standing::optional, 0, kDebug},
    {"@keyring",
     "keys belong to a user, not to a run: they would outlive it and be shared with other runs",
     Standing::optional, 0, kKeyring},
    {"@io-uring",
     "does file and socket work that this filter never sees; programs fall back to epoll",
     Standing::optional, 0, kIoUring},
    {"@perf", "performance counters: side channels and a long record of kernel bugs",
     Standing::optional, 0, kPerf},
    {"@userfault", "stops the kernel in the middle of a copy: the usual helper of kernel exploits",
     Standing::optional, 0, kUserfault},
    {"@numa",
     "places each page on a memory node, which the kernel notes in memory that no cgroup counts",
     Standing::optional, 0, kNuma},
    {"@file-watch", "watches whole mounts and file systems; inotify is in @file-system",
     Standing::optional, 0, kFileWatch},
    {"@mount-info", "names host paths behind mounts; /proc/self/mountinfo is what programs read",
     Standing::optional, 0, kMountInfo},
    {"@lsm", "talks to the host's AppArmor or SELinux", Standing::optional, 0, kLsm},
    {"@secret-memory",
     "memory that even the kernel cannot read; it cannot be swapped or frozen to disk",
     Standing::optional, 0, kSecretMemory},
    {"@cpu-emulation", "16-bit segments, for Wine and DOSEMU; rarely used, often broken",
     Standing::optional, 0, kCpuEmulation},
    {"@obsolete", "removed from the kernel or without a user for years", Standing::optional, 0,
     kObsolete},
    {"@namespaces",
     "a new namespace hands out capabilities inside it, and with them kernel bugs (CVE-2022-0185)",
     Standing::never, EPERM, kNamespaces},
    {"@unchecked",
     "keeps its flags in memory, where a filter cannot look; C libraries fall back on ENOSYS",
     Standing::never, ENOSYS, kUnchecked},
    {"@mount", "the mount table is the sandbox; old calls and new (CVE-2021-41133)",
     Standing::never, EPERM, kMount},
    {"@file-handles",
     "opens any inode of a file system past its path: how containers were left in 2014 "
     "(\"shocker\")",
     Standing::never, EPERM, kFileHandles},
    {"@bpf", "programs inside the kernel", Standing::never, EPERM, kBpf},
    {"@module", "loads or removes kernel code", Standing::never, EPERM, kModule},
    {"@reboot", "ends or replaces the running kernel", Standing::never, EPERM, kReboot},
    {"@swap", "the host's swap", Standing::never, EPERM, kSwap},
    {"@raw-io", "the machine's I/O ports", Standing::never, EPERM, kRawIo},
    {"@clock", "sets the host's clock", Standing::never, EPERM, kClock},
    {"@host", "the host's names, accounts, quotas, kernel log and terminals", Standing::never,
     EPERM, kHost},
};

}  // namespace

std::span<const Group> call_groups() { return kGroups; }

}  // namespace sbx::seccomp
