#pragma once

/// Are the rules that a plugin brings such that the plugin which runs rules can run them?

#include <string>

#include <host/config/manifest_file.hpp>
#include <host/config/problem.hpp>
#include <radd/manifest.hpp>

namespace radd::loader {

/// What `judge`, which has a Manifest::judge_automation, says of the rules of `owner`, in whose
/// manifest stand both those of its code and those of its `file`: E56 for each fault, with the
/// place of what stands in the file, else of the `library`. A judge that throws is a fault of the
/// rule that it was asked about.
[[nodiscard]] config::Problems check_automations(const Manifest& judge,
                                                 const Manifest& owner,
                                                 const config::PluginFile& file,
                                                 const std::string& library);

}  // namespace radd::loader
