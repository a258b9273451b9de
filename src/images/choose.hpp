// Which of several images is meant, by its name and for this machine. Pure.
#pragma once

#include <span>
#include <string_view>

#include "base/error.hpp"
#include "images/image.hpp"

namespace sbx::images {

/// Does `ref` mean an image that is called `name`? All of it, its tag, or its end after a '/':
/// "docker.io/library/alpine:3.19" is also alpine:3.19 and 3.19.
bool is_called(std::string_view name, std::string_view ref);

/// The one that is called `ref` and made for Linux on `architecture` (as Go calls it). An empty
/// `ref`: the one called latest, or the only one there is. Errors say what there is.
Result<Descriptor> choose(std::span<const Descriptor> all, std::string_view ref,
                          std::string_view architecture);
Result<ArchiveImage> choose(std::span<const ArchiveImage> all, std::string_view ref);

/// This machine as images name it ("amd64"), from uname(2)'s word ("x86_64").
std::string_view architecture_of(std::string_view machine);

}  // namespace sbx::images
