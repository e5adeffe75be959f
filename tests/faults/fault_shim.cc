// A library to be loaded before all others (LD_PRELOAD) that makes one call of the system fail.
//
//   INSTANTGP_FAULT=CALL:KIND:K     the K-th call (from 1 on, counted from main() on) fails so
//   INSTANTGP_FAULT=CALL:KIND:K+    that one and all later ones
//   INSTANTGP_FAULT_COUNTS=FILE     at the end the number of calls of each, "CALL N" a line
//
//   CALL    malloc, write, read, open (for writing), fsync, close, rename, link, truncate
//   KIND    nomem, nospc, io, intr, mfile; short: half of the bytes; kill: the process is killed there
//
// Reads and writes count on regular files alone, so that what the program says is not disturbed. A program may also aim
// itself: instantgp_fault_arm(k) makes the k-th malloc from there on fail, 0 none; it returns the calls since the last
// time.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Call { kMalloc, kWrite, kRead, kOpen, kFsync, kClose, kRename, kLink, kTruncate, kCalls };
constexpr const char* kNames[kCalls] = {"malloc", "write",  "read", "open",    "fsync",
                                        "close",  "rename", "link", "truncate"};

std::atomic<bool> armed = false;
std::atomic<long> counts[kCalls];
int aimed_call = -1, aimed_errno = 0;
bool aimed_short = false, aimed_kill = false, and_later = false;
long aimed_at = 0;
std::atomic<long> own_aim = 0, own_count = 0;

template <typename F>
F Real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

void ReadSettings() {
  const char* text = std::getenv("INSTANTGP_FAULT");
  if (text == nullptr) return;
  char call[16] = "", kind[16] = "";
  char more = 0;
  if (std::sscanf(text, "%15[a-z]:%15[a-z]:%ld%c", call, kind, &aimed_at, &more) < 3) return;
  and_later = more == '+';
  for (int k = 0; k < kCalls; ++k) {
    if (std::strcmp(call, kNames[k]) == 0) aimed_call = k;
  }
  aimed_short = std::strcmp(kind, "short") == 0;
  aimed_kill = std::strcmp(kind, "kill") == 0;
  const struct {
    const char* name;
    int number;
  } errors[] = {{"nomem", ENOMEM}, {"nospc", ENOSPC}, {"io", EIO}, {"intr", EINTR}, {"mfile", EMFILE}};
  for (const auto& error : errors) {
    if (std::strcmp(kind, error.name) == 0) aimed_errno = error.number;
  }
}

void WriteCounts() {
  armed = false;
  const char* path = std::getenv("INSTANTGP_FAULT_COUNTS");
  if (path == nullptr) return;
  char text[512];
  int size = 0;
  for (int k = 0; k < kCalls; ++k) {
    size += std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), "%s %ld\n", kNames[k],
                          counts[k].load());
  }
  const int fd = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0) return;
  if (::write(fd, text, static_cast<std::size_t>(size)) != size) std::abort();
  ::close(fd);
}

// Whether this call is to fail.
bool Fails(Call call) {
  if (call == kMalloc && own_aim.load(std::memory_order_relaxed) > 0) {
    return own_count.fetch_add(1, std::memory_order_relaxed) + 1 == own_aim;
  }
  if (call == kMalloc) own_count.fetch_add(1, std::memory_order_relaxed);
  if (!armed.load(std::memory_order_relaxed)) return false;
  const long number = counts[call].fetch_add(1) + 1;
  const bool aimed = aimed_call == call && (and_later ? number >= aimed_at : number == aimed_at);
  if (aimed && aimed_kill) ::kill(::getpid(), SIGKILL);
  return aimed;
}

bool FailsWithError(Call call) {
  if (!Fails(call) || aimed_short) return false;
  errno = aimed_errno;
  return true;
}

bool IsRegular(int fd) {
  struct stat about = {};
  return ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

// glibc's own entry, which needs no symbol lookup: dlsym itself allocates.
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);

int (*program_main)(int, char**, char**) = nullptr;

int CountedMain(int argc, char** argv, char** environment) {
  ReadSettings();
  std::atexit(WriteCounts);
  armed = true;
  const int code = program_main(argc, argv, environment);
  armed = false;
  return code;
}

}  // namespace

extern "C" {

long instantgp_fault_arm(long k) {
  const long before = own_count.exchange(0);
  own_aim = k;
  return before;
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  using Start = int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  program_main = main;
  return Real<Start>("__libc_start_main")(CountedMain, argc, argv, init, fini, rtld_fini, stack_end);
}

void* malloc(std::size_t size) {
  if (Fails(kMalloc)) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  if (Fails(kMalloc)) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size) {
  if (Fails(kMalloc)) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_realloc(block, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (Fails(kMalloc)) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  if (Fails(kMalloc)) return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

ssize_t write(int fd, const void* bytes, std::size_t size) {
  static const auto real = Real<ssize_t (*)(int, const void*, std::size_t)>("write");
  if (!armed || !IsRegular(fd) || !Fails(kWrite)) return real(fd, bytes, size);
  if (aimed_short) return real(fd, bytes, (size + 1) / 2);
  errno = aimed_errno;
  return -1;
}

ssize_t read(int fd, void* bytes, std::size_t size) {
  static const auto real = Real<ssize_t (*)(int, void*, std::size_t)>("read");
  if (!armed || !IsRegular(fd) || !Fails(kRead)) return real(fd, bytes, size);
  if (aimed_short) return real(fd, bytes, (size + 1) / 2);
  errno = aimed_errno;
  return -1;
}

int open(const char* path, int flags, ...) {
  static const auto real = Real<int (*)(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if ((flags & O_ACCMODE) != O_RDONLY && FailsWithError(kOpen)) return -1;
  return real(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  static const auto real = Real<FILE* (*)(const char*, const char*)>("fopen");
  if (std::strpbrk(mode, "wa+") != nullptr && FailsWithError(kOpen)) return nullptr;
  return real(path, mode);
}

FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

int fsync(int fd) {
  static const auto real = Real<int (*)(int)>("fsync");
  return FailsWithError(kFsync) ? -1 : real(fd);
}

// Linux closes the descriptor whatever close() says.
int close(int fd) {
  static const auto real = Real<int (*)(int)>("close");
  const bool fails = armed && IsRegular(fd) && FailsWithError(kClose);
  const int number = errno, result = real(fd);
  if (!fails) return result;
  errno = number;
  return -1;
}

int rename(const char* from, const char* to) {
  static const auto real = Real<int (*)(const char*, const char*)>("rename");
  return FailsWithError(kRename) ? -1 : real(from, to);
}

int link(const char* from, const char* to) {
  static const auto real = Real<int (*)(const char*, const char*)>("link");
  return FailsWithError(kLink) ? -1 : real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static const auto real = Real<int (*)(int, const char*, int, const char*, int)>("linkat");
  return FailsWithError(kLink) ? -1 : real(from_folder, from, to_folder, to, flags);
}

int truncate(const char* path, off_t length) {
  static const auto real = Real<int (*)(const char*, off_t)>("truncate");
  return FailsWithError(kTruncate) ? -1 : real(path, length);
}

int ftruncate(int fd, off_t length) {
  static const auto real = Real<int (*)(int, off_t)>("ftruncate");
  return FailsWithError(kTruncate) ? -1 : real(fd, length);
}

}  // extern "C"
