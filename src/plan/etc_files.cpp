// The files of /etc that are written fresh for each run, because the host's would leak who uses it
// and where it is.
#include "base/account_file.hpp"
#include "plan/builder.hpp"

namespace sbx::plan {
namespace {

std::string user_fields(const std::string& uid, const std::string& gid) {
  return ":x:" + uid + ":" + gid + ":sandbox:/tmp:/bin/sh\n";
}

std::string passwd(const Builder& b, const std::string& uid, const std::string& gid) {
  const std::string entry = user_fields(uid, gid);
  std::string text;
  if (b.inner_uid != 0) text += "root:x:0:0:root:/root:/usr/sbin/nologin\n";
  text += (b.inner_uid == 0 ? "root" : "sandbox") + entry;
  if (b.inner_uid != 65534) text += "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
  return text;
}

std::string group(const Builder& b, const std::string& gid) {
  std::string text;
  if (b.inner_gid != 0) text += "root:x:0:\n";
  text += (b.inner_gid == 0 ? "root:x:" : "sandbox:x:") + gid + ":\n";
  if (b.inner_gid != 65534) text += "nogroup:x:65534:\n";
  return text;
}

/// Names are resolved as on the host when its network is shared, and by the gateway's DNS when it
/// is filtered; else there is nobody to ask, and an empty file would mean 127.0.0.1 and a timeout.
std::string resolv_conf(const Builder& b) {
  if (b.profile.network.mode == profile::NetworkMode::host) return b.facts.resolv_conf;
  // The address is one that egress/names.cpp gives to no name. musl does not take REFUSED for an
  // answer, and waits `timeout` seconds in all; glibc waits that long for each of `attempts`.
  if (b.profile.network.mode == profile::NetworkMode::filtered)
    return "nameserver 198.18.0.1\noptions timeout:2 attempts:3\n";
  return "# this sandbox has no network of its own to the outside\noptions attempts:1 timeout:1\n";
}

std::string hosts(const Builder& b) {
  if (b.profile.network.mode == profile::NetworkMode::host) return b.facts.hosts;
  return "127.0.0.1 localhost " + b.profile.hostname + "\n::1 localhost ip6-localhost\n";
}

/// `file` with a line more for `id`, under a name that it does not have; nothing: it knows the id.
std::optional<std::string> with_line(const std::optional<std::string>& file, std::uint32_t id,
                                     const std::string& fields) {
  if (!file || find_account_id(*file, id)) return std::nullopt;
  std::string name = "sandbox";
  if (find_account_name(*file, name)) name += "-" + std::to_string(id);
  std::string text = *file;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text.append(name).append(fields);
}

}  // namespace

std::vector<EtcFile> missing_accounts(const Builder& b) {
  const std::string uid = std::to_string(b.inner_uid);
  const std::string gid = std::to_string(b.inner_gid);
  const RootAccounts& root = b.facts.root_accounts;
  std::vector<EtcFile> files;
  if (auto text = with_line(root.passwd, b.inner_uid, user_fields(uid, gid)))
    files.push_back({"/etc/passwd", *std::move(text)});
  if (auto text = with_line(root.group, b.inner_gid, ":x:" + gid + ":\n"))
    files.push_back({"/etc/group", *std::move(text)});
  return files;
}

std::vector<EtcFile> etc_files(const Builder& b) {
  const std::string uid = std::to_string(b.inner_uid);
  const std::string gid = std::to_string(b.inner_gid);
  return {
      {"/etc/passwd", passwd(b, uid, gid)},
      {"/etc/group", group(b, gid)},
      {"/etc/hostname", b.profile.hostname + "\n"},
      {"/etc/hosts", hosts(b)},
      {"/etc/nsswitch.conf",
       "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\n"
       "protocols: files\nservices: files\nethers: files\nrpc: files\n"},
      {"/etc/resolv.conf", resolv_conf(b)},
  };
}

}  // namespace sbx::plan
