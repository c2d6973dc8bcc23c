// The digest: once a day of the person, and nothing that a mail has told.

#include <string>

#include <doctest/doctest.h>

#include <host/delivery/operations.hpp>
#include <plugins/notify/digest.hpp>
#include <plugins/notify/letter.hpp>
#include <plugins/notify/retention.hpp>
#include <tests/pg/notify_bench.hpp>

using namespace std::chrono_literals;
using namespace std::chrono;
using radd::testing::NotifyBench;

namespace {

struct Scene : NotifyBench {
    Scene() : item{a_printer(ada)} { at(2026y / January / 1, 12h); }

    void at(sys_days day, minutes time) { now = day + time; }
    void live_in(const std::string& zone, int hour) {
        database.execute("INSERT INTO notify.people VALUES ('" + ada + "', '" + zone + "', " +
                         std::to_string(hour) +
                         ", NULL) ON CONFLICT (person_id) DO UPDATE SET zone = excluded.zone, "
                         "digest_hour = excluded.digest_hour, next_digest_at = NULL");
        tick();
    }
    /// Something for Ada's digest.
    void news(const std::string& title) {
        change(item, {.title = title}, bob);
        follow();
    }
    void tick() {
        notify::Digest{lent, [this](radd::Transaction&) { return now; }}.tick();
    }
    /// Every quarter of an hour, until then.
    void live_until(sys_days day, minutes time) {
        while (now < day + time) {
            now += 15min;
            tick();
        }
    }
    std::string days() {
        return database.value(
            "SELECT coalesce(string_agg(day::text, ' ' ORDER BY day), '') FROM "
            "notify.digests");
    }

    items::Item item;
    radd::Timestamp now{};
};

}  // namespace

TEST_SUITE("digest") {
    TEST_CASE_FIXTURE(Scene, "comes at the person's hour with what they have not seen") {
        live_in("Europe/Berlin", 8);
        news("Scanner");
        news("Plotter");

        live_until(2026y / January / 2, 6h + 45min);
        CHECK(days().empty());
        live_until(2026y / January / 2, 7h);
        CHECK(days() == "2026-01-02");
        CHECK(send() == 1);

        REQUIRE(mailer.sent().size() == 1);
        CHECK(mailer.sent()[0].to == "Ada@example.org");
        CHECK(mailer.sent()[0].subject == "2 notices until 2026-01-02");
        CHECK(count("notify.notices WHERE emailed_at IS NOT NULL AND mail_outcome = 'sent'") ==
              "2");
    }

    TEST_CASE_FIXTURE(Scene, "never repeats what went out in one or by a mail of its own") {
        live_in("UTC", 8);
        news("Scanner");
        comment(item, "Mailed at once", bob);
        comment(item, "Given up", bob);
        follow();
        mailer.fail_next(radd::MailRefused{"550"});
        CHECK(send() == 2);

        live_until(2026y / January / 3, 12h);
        CHECK(days() == "2026-01-02");
        CHECK(send() == 1);
        CHECK(mailer.sent().back().subject == "1 notice until 2026-01-02");
        CHECK(mailer.sent().back().text.find("changed title") != std::string::npos);

        news("Plotter");
        live_until(2026y / January / 4, 12h);
        CHECK(days() == "2026-01-02 2026-01-04");
        CHECK(send() == 1);
        CHECK(mailer.sent().back().subject == "1 notice until 2026-01-04");
    }

    TEST_CASE_FIXTURE(Scene, "leaves a mail to its ladder") {
        live_in("UTC", 8);
        comment(item, "Mailed at once", bob);
        follow();
        mailer.fail_next(radd::MailDeferred{"451"});
        CHECK(send() == 1);

        live_until(2026y / January / 3, 12h);

        CHECK(days().empty());
    }

    TEST_CASE_FIXTURE(Scene, "leaves out what was read or archived or is not wanted") {
        live_in("UTC", 8);
        news("One");
        database.execute("UPDATE notify.notices SET read_at = now()");
        news("Two");
        database.execute("UPDATE notify.notices SET archived_at = now()");
        prefer(ada, notify::kind::changed, "true, false, false");
        news("Three");

        live_until(2026y / January / 3, 12h);

        CHECK(days().empty());
    }

    TEST_CASE_FIXTURE(Scene, "comes once on the day that has its hour twice") {
        live_in("Europe/Berlin", 2);
        at(2026y / October / 24, 12h);
        live_in("Europe/Berlin", 2);
        news("Before");
        live_until(2026y / October / 25, 0h);
        CHECK(days() == "2026-10-25");
        news("Between");
        live_until(2026y / October / 25, 22h);
        CHECK(days() == "2026-10-25");
        live_until(2026y / October / 26, 1h);
        CHECK(days() == "2026-10-25 2026-10-26");
    }

    TEST_CASE_FIXTURE(Scene, "comes on the day that skips its hour") {
        at(2026y / March / 28, 12h);
        live_in("Europe/Berlin", 2);
        news("Before");
        live_until(2026y / March / 29, 0h + 45min);
        CHECK(days().empty());
        live_until(2026y / March / 29, 1h);
        CHECK(days() == "2026-03-29");
        news("After");
        live_until(2026y / March / 30, 0h);
        CHECK(days() == "2026-03-29 2026-03-30");
    }

    TEST_CASE_FIXTURE(Scene, "comes late once when no host ran at its hour") {
        live_in("UTC", 8);
        news("Scanner");
        at(2026y / January / 5, 17h);
        tick();
        news("Plotter");
        tick();

        CHECK(days() == "2026-01-05");
        live_until(2026y / January / 6, 8h);
        CHECK(days() == "2026-01-05 2026-01-06");
    }

    TEST_CASE_FIXTURE(Scene, "comes once a day though hour and zone and clock are set back") {
        live_in("UTC", 8);
        news("Scanner");
        live_until(2026y / January / 2, 8h);
        REQUIRE(days() == "2026-01-02");
        news("Plotter");
        live_in("UTC", 10);
        live_until(2026y / January / 2, 11h);
        live_in("America/Los_Angeles", 4);
        live_until(2026y / January / 2, 13h);
        at(2026y / January / 2, 7h);
        live_in("UTC", 8);
        live_until(2026y / January / 2, 9h);

        CHECK(days() == "2026-01-02");
        live_until(2026y / January / 3, 9h);
        CHECK(days() == "2026-01-02 2026-01-03");
    }

    TEST_CASE_FIXTURE(Scene, "is due by the database's clock whatever that of the host is") {
        database.execute("INSERT INTO notify.people VALUES ('" + ada +
                         "', 'UTC', 8, now() + interval '1 hour')");
        news("Scanner");
        lent.fakes.time.advance(24h * 365);
        CHECK_FALSE(notify::Digest{lent}.tick());
        CHECK(days().empty());
        database.execute("UPDATE notify.people SET next_digest_at = now()");
        CHECK_FALSE(notify::Digest{lent}.tick());
        CHECK(days() == database.value("SELECT (now() AT TIME ZONE 'UTC')::date"));
    }

    TEST_CASE_FIXTURE(Scene, "is made by one of two hosts") {
        live_in("UTC", 8);
        news("Scanner");
        at(2026y / January / 2, 8h);
        radd::outbox::OutboxTransaction other{pool, catalog, {}, log, "test"};
        REQUIRE(other.query(radd::Sql{"SELECT person_id FROM notify.people FOR UPDATE"}).size() ==
                1);
        tick();
        CHECK(days().empty());
        other.rollback();
        tick();
        tick();

        CHECK(days() == "2026-01-02");
        CHECK(count("radd.deliveries") == "1");
    }

    TEST_CASE_FIXTURE(Scene, "is about nothing that is gone by the time it is sent") {
        live_in("UTC", 8);
        news("Scanner");
        live_until(2026y / January / 2, 8h);
        remove(item);
        follow();

        CHECK(send() == 1);
        CHECK(mailer.sent().empty());
        CHECK(database.value("SELECT outcome FROM notify.digests") == "cancelled");
    }

    TEST_CASE_FIXTURE(Scene, "shows so many lines and counts the others") {
        live_in("UTC", 8);
        for (std::size_t i = 0; i <= notify::digest_lines_max; ++i)
            change(item, {.title = "Title " + std::to_string(i)}, bob);
        follow();
        live_until(2026y / January / 2, 8h);

        CHECK(send() == 1);
        CHECK(mailer.sent().at(0).subject.starts_with("101 notices"));
        CHECK(mailer.sent().at(0).text.find("and 1 more: ") != std::string::npos);
    }

    TEST_CASE_FIXTURE(Scene, "holds so many notices and leaves the others to the next") {
        live_in("UTC", 8);
        database.execute(
            "INSERT INTO notify.notices (person_id, event_id, kind, item_id, in_inbox, in_digest, "
            "mail) SELECT '" +
            ada + "', n, 'notify.changed', " + std::to_string(item.id) +
            ", true, true, false FROM generate_series(1, " +
            std::to_string(notify::Digest::notices_max + 1) + ") AS n");

        live_until(2026y / January / 2, 8h);
        CHECK(count("notify.notices WHERE digest_id IS NULL") == "1");
        live_until(2026y / January / 3, 8h);
        CHECK(count("notify.notices WHERE digest_id IS NULL") == "0");
        CHECK(days() == "2026-01-02 2026-01-03");
    }

    TEST_CASE_FIXTURE(Scene, "of a zone that tzdata has no more is by UTC and a warning says so") {
        live_in("UTC", 8);
        database.execute("UPDATE notify.people SET zone = 'Mars/Olympus'");
        news("Scanner");
        live_until(2026y / January / 2, 8h);

        CHECK(days() == "2026-01-02");
        CHECK(lent.fakes.lines.contains("no zone 'Mars/Olympus'"));
    }
}

TEST_SUITE("notices kept") {
    TEST_CASE_FIXTURE(Scene, "as long as the setting says unless a mail still waits") {
        news("Old");
        comment(item, "Old and waiting", bob);
        follow();
        database.execute("UPDATE notify.notices SET created_at = now() - interval '181 days'");
        news("New");

        CHECK_FALSE(notify::Retention{lent}.tick());

        CHECK(told("Ada Lovelace") == "commented changed");
    }

    TEST_CASE_FIXTURE(Scene, "no longer because an operator has cancelled the mail") {
        comment(item, "Old and cancelled", bob);
        follow();
        database.execute("UPDATE notify.notices SET created_at = now() - interval '181 days'");
        radd::delivery::DeliveryOperations{database.session()}.cancel(1, "by hand");
        CHECK_FALSE(notify::Retention{lent}.tick());
        CHECK(told("Ada Lovelace").empty());
    }

    TEST_CASE_FIXTURE(Scene, "as long as the digest that told of them and it as long as they") {
        live_in("UTC", 8);
        news("Scanner");
        live_until(2026y / January / 2, 8h);
        CHECK(send() == 1);
        database.execute("UPDATE notify.digests SET created_at = now() - interval '181 days'");
        CHECK_FALSE(notify::Retention{lent}.tick());
        CHECK(days() == "2026-01-02");

        database.execute("UPDATE notify.notices SET created_at = now() - interval '181 days'");
        news("Plotter");
        live_until(2026y / January / 3, 8h);
        CHECK_FALSE(notify::Retention{lent}.tick());
        CHECK(days() == "2026-01-03");

        // One that waits stays, one that was cancelled does not.
        database.execute(
            "DELETE FROM notify.notices;"
            "UPDATE notify.digests SET created_at = now() - interval '181 days'");
        CHECK_FALSE(notify::Retention{lent}.tick());
        CHECK(days() == "2026-01-03");
        radd::delivery::DeliveryOperations operations{database.session()};
        operations.cancel_lane(std::string{notify::queue_name}, "relay", "by hand");
        CHECK_FALSE(notify::Retention{lent}.tick());
        CHECK(days().empty());
    }
}
