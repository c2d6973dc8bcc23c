#pragma once

/// The cascades of a manifest as the consumer that FixtureHost drives.

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <radd/manifest.hpp>
#include <radd/scopes.hpp>
#include <radd/testing/transaction.hpp>

namespace radd::testing {

/// Sweeps as CascadeSpec promises: from the head on, silent events included, each sweep in a
/// savepoint of its own. What failed is told as a delivery that throws, so FixtureHost::lost() has
/// it, with the names and the errors, and FixtureHost::retry() sweeps that event again.
class FixtureCascades final : public Consumer {
public:
    [[nodiscard]] static std::string name_of(const std::string& plugin) {
        return "events.cascade." + plugin;
    }

    explicit FixtureCascades(std::vector<CascadeSpec> cascades) : cascades_{std::move(cascades)} {}

    [[nodiscard]] static ConsumerSpec spec(const Manifest& manifest) {
        return {.name = name_of(manifest.id), .make = [cascades = manifest.cascades](Services&) {
                    return std::make_unique<FixtureCascades>(cascades);
                }};
    }

private:
    struct Swept {
        std::int64_t event_id;
        std::string parent_id;
        std::vector<const CascadeSpec*> done{};
        std::string failed{};
    };

    [[nodiscard]] ConsumerTraits traits() const noexcept override { return {.sees_silent = true}; }
    void offer(Transaction& tx, const Event& event) override {
        staged_.emplace(Swept{event.id, event.entity_id});
        const Quiet quiet{event.silent};
        for (const CascadeSpec& cascade : cascades_) {
            if (!event.is(cascade.parent_event)) continue;
            try {
                tx.in_savepoint([&] { cascade.sweep(tx, staged_->parent_id); });
                staged_->done.push_back(&cascade);
            } catch (const Unavailable&) {
                throw;
            } catch (const UnscriptedStatement&) {
                throw;
            } catch (const std::exception& error) {
                add(staged_->failed, cascade, error.what());
            } catch (...) {
                add(staged_->failed, cascade, "an exception that is no std::exception");
            }
        }
        if (staged_->done.empty() && staged_->failed.empty()) staged_.reset();
    }
    void keep() noexcept override {
        if (staged_) swept_.push_back(*std::move(staged_));
        staged_.reset();
    }
    void drop() noexcept override { staged_.reset(); }
    void forget() noexcept override {
        staged_.reset();
        swept_.clear();
    }
    [[nodiscard]] std::optional<std::int64_t> next_delivery() const noexcept override {
        return swept_.empty() ? std::nullopt : std::optional{swept_.front().event_id};
    }
    void deliver_next() override {
        Swept swept = std::move(swept_.front());
        swept_.pop_front();
        for (const CascadeSpec* cascade : swept.done) {
            try {
                if (cascade->after_commit) cascade->after_commit(swept.parent_id);
            } catch (const std::exception& error) {
                add(swept.failed, *cascade, error.what());
            }
        }
        if (!swept.failed.empty()) throw Error{swept.failed};
    }

    static void add(std::string& failed, const CascadeSpec& cascade, const std::string& error) {
        failed += (failed.empty() ? "" : "; ") + cascade.name + ": " + error;
    }

    std::vector<CascadeSpec> cascades_;
    std::optional<Swept> staged_;
    std::deque<Swept> swept_;
};

}  // namespace radd::testing
