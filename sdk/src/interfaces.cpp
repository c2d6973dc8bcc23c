// Key functions of what the host lends and what plugins derive from.

#include <radd/catalog.hpp>
#include <radd/mailer.hpp>
#include <radd/manifest.hpp>

namespace radd {

AddressNotAllowed::~AddressNotAllowed() = default;
Catalog::~Catalog() = default;
Clock::~Clock() = default;
Consumer::~Consumer() = default;
Database::~Database() = default;
DeliveryHandler::~DeliveryHandler() = default;
DeliveryQueue::~DeliveryQueue() = default;
HttpClient::~HttpClient() = default;
EventLog::~EventLog() = default;
Log::~Log() = default;
Mailer::~Mailer() = default;
MailRefused::~MailRefused() = default;
MailDeferred::~MailDeferred() = default;
MailUnconfirmed::~MailUnconfirmed() = default;
PeriodicTask::~PeriodicTask() = default;
Random::~Random() = default;
Secrets::~Secrets() = default;
Service::~Service() = default;
Services::~Services() = default;
Settings::~Settings() = default;
StreamClient::~StreamClient() = default;
StreamSession::~StreamSession() = default;
TailSubscriber::~TailSubscriber() = default;
Transaction::~Transaction() = default;

}  // namespace radd
