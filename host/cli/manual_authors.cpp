// The pages of the manual for who writes plugins, or asks why something does not run.

#include <host/cli/manual.hpp>

namespace radd::cli {

const std::vector<ManualPage>& author_pages() {
    static const std::vector<ManualPage> pages{
        {"new-plugin",
         "Writes the folder NAME with a CMake project: a plugin with an event, an entity, a "
         "consumer, two commands and a table, its tests, its manifest and a README that tells how "
         "it is built and installed. All of it is meant to be changed. A folder that is there is "
         "not touched.\n\n"
         "NAME is lower-case letters, digits and _, a letter first. It becomes the plugin's id, "
         "its schema in PostgreSQL and the first word of its commands. sdk/README.md goes on from "
         "there.",
         {{"radd new-plugin time_off", "A project in ./time_off."},
          {"radd new-plugin time_off --dir ~/src", "The same in ~/src/time_off."}}},
        {"why",
         "Answers for whatever is called ID here: a plugin in any state, what a loaded plugin "
         "declares, or an error code. It tells who declares it and in which files, what reads or "
         "needs it, the state it is in, and what to do. A consumer's state comes from the "
         "database, if it answers within a second; a private PostgreSQL is not started for it.\n\n"
         "If nothing is called so, the nearest name is told, and the exit code is 1.",
         {{"radd why csat", "Is it loaded? If not, why?"},
          {"radd why csat.sender", "What does it read, how far is it, and who runs it?"},
          {"radd why item.updated", "Who declares it, and who reads it?"},
          {"radd why E31", "What does it mean, and where is it met here?"}}},
        {"doctor",
         "Looks at all that an operator would look at, changes nothing and starts nothing: "
         "data_dir, disk, limits, time zones, the address; plugins and manifests; the database, "
         "its version, rights and settings, its clock against this machine's, the schema; "
         "consumers that do not keep up or that nobody runs, dead letters, and whether somebody "
         "can sign in. A line for each: ok; warn - it works, and will cause trouble; fail - it "
         "does not work. Below the last two stands what to do.\n\n"
         "The exit code is 1 if a line says fail. A private PostgreSQL is asked if a host runs it.",
         {{"radd doctor", "Everything."},
          {"radd doctor --json", "A list of {about, verdict, found, remedy}."}}},
        {"schema",
         "Prints a JSON Schema (2020-12) of host.yaml and of plugins' manifests, with the settings "
         "that each loaded plugin takes; with ID, of the manifest of that plugin alone. Its build "
         "has sealed into the library what it takes, so none of its code runs, and it may be "
         "disabled, refused or without a manifest; one without a seal is loaded. An editor that "
         "knows it completes keys and marks mistakes while one types. The schema knows keys "
         "and types; ranges of durations and names that somebody must declare are left to `radd "
         "check`. Touches no database.",
         {{"radd schema",
           "Kept as manifests/schema.json, an editor finds it by `# yaml-language-server: "
           "$schema=schema.json` on top of a manifest."},
          {"radd schema mail", "What may stand in manifests/mail.yaml."}}},
    };
    return pages;
}

}  // namespace radd::cli
