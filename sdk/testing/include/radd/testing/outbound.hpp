#pragma once

/// The way out and the vault, played by the test.

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/http_client.hpp>
#include <radd/secrets.hpp>

namespace radd::testing {

/// Keeps every call, and answers as `answer` says; 204 unless it is set.
class FakeHttpClient final : public HttpClient {
public:
    [[nodiscard]] const std::vector<HttpCall>& calls() const noexcept { return calls_; }
    std::function<HttpAnswer(const HttpCall&)> answer{};

    void vet_url(std::string_view url) const override {
        if (!url.starts_with("https://") && !url.starts_with("http://"))
            throw InvalidInput{"url", "must begin with https:// or http://"};
    }
    HttpAnswer call(const HttpCall& call) override {
        vet_url(call.url);
        calls_.push_back(call);
        return answer ? answer(call) : HttpAnswer{.status = 204};
    }

private:
    std::vector<HttpCall> calls_;
};

/// Seals so that a test sees what was sealed for what: "sealed(purpose|text)".
class FakeSecrets final : public Secrets {
public:
    std::string seal(std::string_view purpose, std::string_view text) override {
        return prefix(purpose).append(text) + ')';
    }
    std::string open(std::string_view purpose, std::string_view sealed) override {
        const std::string start = prefix(purpose);
        if (!sealed.starts_with(start) || !sealed.ends_with(')'))
            throw Error{"secrets: sealed for another purpose"};
        return std::string{sealed.substr(start.size(), sealed.size() - start.size() - 1)};
    }

private:
    static std::string prefix(std::string_view purpose) {
        return "sealed(" + std::string{purpose} + '|';
    }
};

}  // namespace radd::testing
