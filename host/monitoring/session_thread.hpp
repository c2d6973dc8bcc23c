#pragma once

/// A thread that asks the database again and again, and can be stopped while the server hangs.

#include <chrono>
#include <memory>
#include <string>

#include <host/db/session.hpp>
#include <radd/clock.hpp>
#include <radd/services.hpp>

namespace radd::monitoring {

/// What such a thread does. Called by that thread alone.
class Lookout {
public:
    virtual ~Lookout() = default;

    /// A look begins; it may first have to connect.
    virtual void begin() noexcept {}
    /// One look. What it throws goes to failed(); after Unavailable the session is made anew.
    virtual void look(db::Session& session) = 0;
    /// A look, or the connection for it, did not come about.
    virtual void failed(const std::string& reason) noexcept = 0;
};

/// Owns a session that nobody else uses, so that no exhausted pool and no slow handler keeps the
/// look from happening (P08). [boot-thread] but for wake().
class SessionThread {
public:
    /// How long stop() waits for a look under way, before and after its connection is cut.
    static constexpr std::chrono::milliseconds stop_wait{500};
    static constexpr std::chrono::milliseconds cut_wait{3000};

    struct Parts {
        db::ConnectOptions connect;
        Clock& clock;
        Log& log;
        std::string name;
        std::chrono::milliseconds every;
    };

    /// `lookout` is also owned by the thread, which may be left behind in an attempt to connect.
    SessionThread(Parts parts, std::shared_ptr<Lookout> lookout);
    SessionThread(const SessionThread&) = delete;
    SessionThread& operator=(const SessionThread&) = delete;
    ~SessionThread();  ///< As stop().

    void start();  ///< Returns at once, whatever the database does. Once only.
    void wake();   ///< Look now. [any-thread]
    bool stop();   ///< False: its thread is left behind and the process must end. Safe twice.

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace radd::monitoring
