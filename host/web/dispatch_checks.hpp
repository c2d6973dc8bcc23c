#pragma once

/// What the two halves of the dispatch share.

#include <map>
#include <vector>

#include <host/config/address_range.hpp>
#include <host/web/dispatch.hpp>
#include <host/web/request_checks.hpp>

namespace radd::web {

struct Dispatcher::Checks {
    std::map<const Route*, RequestChecks> of_routes{};
    std::vector<config::AddressRange> trusted_proxies{};
};

}  // namespace radd::web
