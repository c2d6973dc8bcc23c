#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <fcntl.h>
#include <grp.h>
#include <host/plugins/elf_file.hpp>
#include <host/plugins/library_file.hpp>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace radd::loader {
namespace {

namespace fs = std::filesystem;

Refusal refused(std::string code,
                const fs::path& file,
                std::string message,
                std::string hint = "") {
    return Refusal{{.code = std::move(code),
                    .file = file.string(),
                    .message = std::move(message),
                    .hint = std::move(hint)}};
}

std::string reason_of(int error) {
    return std::generic_category().message(error);
}

class Descriptor {
public:
    explicit Descriptor(int number) : number_{number} {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] int operator*() const { return number_; }
    [[nodiscard]] explicit operator bool() const { return number_ >= 0; }

private:
    int number_;
};

std::string user_of(uid_t id) {
    const passwd* entry = ::getpwuid(id);
    return entry == nullptr ? std::to_string(id) : entry->pw_name;
}

std::string group_of(gid_t id) {
    const group* entry = ::getgrgid(id);
    return entry == nullptr ? std::to_string(id) : entry->gr_name;
}

void refuse_if_writable_by_all(const fs::path& path, mode_t mode) {
    if ((mode & S_IWOTH) == 0) return;
    throw refused("E07",
                  path,
                  "everybody on this machine may write to it, and so run code in this host",
                  "Take the right away: chmod o-w " + path.string());
}

/// Who may write to it runs code with the rights of this process.
void refuse_if_writable_by_others(const fs::path& path, const struct stat& status) {
    refuse_if_writable_by_all(path, status.st_mode);
    if (status.st_uid != 0 && status.st_uid != ::geteuid())
        throw refused("E07",
                      path,
                      "it belongs to user " + user_of(status.st_uid) +
                          ", who could so run code in this host, which runs as " +
                          user_of(::geteuid()),
                      "Give it to root: chown root " + path.string());
    // The group that the host runs under is given rights by the operator, and to share them.
    const bool by_group = (status.st_mode & S_IWGRP) != 0;
    if (by_group && status.st_gid != 0 && status.st_gid != ::getegid())
        throw refused(
            "E07",
            path,
            "group " + group_of(status.st_gid) + " may write to it, and so run code in this host",
            "Take the right away: chmod g-w " + path.string());
}

/// Who may rename the directory puts another in its place.
void refuse_if_replaceable(const fs::path& directory) {
    std::error_code error;
    const fs::path whole = fs::canonical(directory, error);
    struct stat status {};
    if (error || ::stat(whole.parent_path().c_str(), &status) != 0) return;
    if ((status.st_mode & S_ISVTX) == 0)
        refuse_if_writable_by_all(whole.parent_path(), status.st_mode);
}

/// Empty: a library to look at.
std::string why_ignored(const fs::directory_entry& entry) {
    std::error_code error;
    const auto own = entry.symlink_status(error).type();
    if (own == fs::file_type::symlink) {
        const bool dangling = !fs::exists(entry.status(error));
        return dangling ? "a link that leads nowhere"
                        : "a link: put the library itself into the directory";
    }
    if (own == fs::file_type::directory) return "a directory";
    return own == fs::file_type::regular ? "" : "no regular file";
}

struct stat checked_status(const Descriptor& file, const fs::path& path) {
    struct stat status {};
    if (::fstat(*file, &status) != 0)
        throw refused("E08", path, "cannot be examined: " + reason_of(errno));
    if (!S_ISREG(status.st_mode)) throw refused("E08", path, "is no regular file");
    refuse_if_writable_by_others(path, status);
    if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) > library_bytes_max)
        throw refused("E08",
                      path,
                      "has " + std::to_string(status.st_size) + " bytes, more than the " +
                          std::to_string(library_bytes_max) + " a library may have");
    return status;
}

void write_all(const Descriptor& file, const fs::path& path, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(*file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw refused("E08", path, "cannot be written: " + reason_of(errno));
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

}  // namespace

Directory list_libraries(const fs::path& directory) {
    struct stat status {};
    if (::stat(directory.c_str(), &status) != 0)
        throw refused("E08",
                      directory,
                      "the plugins directory cannot be read: " + reason_of(errno),
                      "Create it, or set plugins_dir to where the plugins are");
    if (!S_ISDIR(status.st_mode))
        throw refused("E08", directory, "plugins_dir names a file and no directory");
    refuse_if_writable_by_others(directory, status);
    refuse_if_replaceable(directory);

    std::error_code error;
    fs::directory_iterator entries{directory, error};
    if (error)
        throw refused("E08", directory, "the plugins directory cannot be read: " + error.message());
    Directory found;
    for (const fs::directory_entry& entry : entries) {
        if (entry.path().extension() != ".so") continue;
        std::string reason = why_ignored(entry);
        if (reason.empty())
            found.libraries.push_back(entry.path());
        else
            found.ignored.push_back({.file = entry.path().string(), .reason = std::move(reason)});
    }
    std::ranges::sort(found.libraries);
    std::ranges::sort(found.ignored, {}, &IgnoredFile::file);
    return found;
}

std::vector<std::byte> read_library(const fs::path& path) {
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (!file && errno == ELOOP)
        throw refused("E08", path, "is a link", "Put the library itself into the directory");
    if (!file) throw refused("E08", path, "cannot be opened: " + reason_of(errno));
    const struct stat status = checked_status(file, path);

    std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const ssize_t got = ::read(*file, bytes.data() + filled, bytes.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw refused("E08", path, "cannot be read: " + reason_of(errno));
        if (got == 0) throw refused("E08", path, "grew shorter while it was being read");
        filled += static_cast<std::size_t>(got);
    }
    return bytes;
}

std::string sha256_of(std::span<const std::byte> bytes) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    unsigned int size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw Error{"SHA-256 is not to be had from the installed OpenSSL"};
    return to_hex(std::as_bytes(std::span{digest}));
}

fs::path write_private_copy(const fs::path& directory,
                            const std::string& name,
                            std::span<const std::byte> bytes) {
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) throw refused("E08", directory, "cannot be created: " + error.message());
    fs::permissions(directory, fs::perms::owner_all, error);
    if (error) throw refused("E08", directory, "cannot be made private: " + error.message());

    const fs::path target = directory / (name + ".so");
    const fs::path part = directory / ("." + name + "." + std::to_string(::getpid()));
    ::unlink(part.c_str());
    {
        const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
        const Descriptor file{::open(part.c_str(), flags, S_IRWXU)};
        if (!file) throw refused("E08", part, "cannot be created: " + reason_of(errno));
        write_all(file, part, bytes);
    }
    fs::rename(part, target, error);
    if (error) throw refused("E08", target, "cannot be put in place: " + error.message());
    return target;
}

void remove_old_copies(const fs::path& directory,
                       const std::string& id,
                       const fs::path& current) noexcept {
    try {
        const auto limit = fs::file_time_type::clock::now() - old_copy_age_min;
        for (const fs::directory_entry& entry : fs::directory_iterator{directory}) {
            const std::string name = entry.path().filename().string();
            const bool of_plugin = name.starts_with(id + '-') && name.ends_with(".so");
            if (of_plugin && entry.path() != current && entry.last_write_time() < limit)
                fs::remove(entry.path());
        }
    } catch (const std::exception&) {
        return;  // Another host may be removing the same ones; what stays only takes space.
    }
}

}  // namespace radd::loader
