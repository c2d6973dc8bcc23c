CREATE TABLE greeter_greetings (id bigint PRIMARY KEY, text text NOT NULL);
