/**
 * Cache and fan-out on Redis or Valkey. Commands fail fast while it is away: callers have a
 * fallback, or answer 503.
 */
import { Redis, type RedisOptions } from "ioredis";
import type { Cache } from "../../core/ports/cache.ts";
import type { Log } from "../../core/ports/log.ts";
import type { PubSub } from "../../core/ports/pubsub.ts";

/** Prefix of every key and channel; different prefixes separate two services on one Redis. */
const PREFIX = "weft:";
const COUNT = `local n = redis.call("incr", KEYS[1])
if n == 1 then redis.call("pexpire", KEYS[1], ARGV[1]) end
local left = redis.call("pttl", KEYS[1])
if left < 0 then redis.call("pexpire", KEYS[1], ARGV[1]) left = tonumber(ARGV[1]) end
return {n, left}`;

/** Keeps the window's end, and makes no counter without one. */
const UNCOUNT = `if redis.call("exists", KEYS[1]) == 1 then redis.call("decr", KEYS[1]) end`;

const COMMAND_MS = 2_000;
/** A subscriber only listens: without a question it would never notice that nobody answers. */
const CHECK_MS = 10_000;

const OPTIONS: RedisOptions = {
	enableOfflineQueue: false,
	maxRetriesPerRequest: 1,
	commandTimeout: COMMAND_MS,
	// A Redis that stands still: the connection is replaced, and commands fail at once meanwhile.
	socketTimeout: COMMAND_MS,
	connectTimeout: 5_000,
	lazyConnect: true,
	retryStrategy: (times) => Math.min(100 * 2 ** times, 5_000),
};

/** Connects in the background and keeps retrying; loss and recovery are logged once each. */
function connectRedis(url: string, log: Log, name: string, options: RedisOptions = {}): Redis {
	const client = new Redis(url, { ...OPTIONS, ...options, connectionName: `weft-${name}` });
	let lost = false;
	client.on("error", (error) => {
		if (!lost) log.warn({ err: error, name }, "the cache cannot be reached");
		lost = true;
	});
	client.on("ready", () => {
		if (lost) log.info({ name }, "the cache can be reached again");
		lost = false;
	});
	client.connect().catch(() => {});
	return client;
}

/** Waits for the first connection up to the connect timeout; the service also starts without it. */
async function waitForFirstConnection(client: Redis): Promise<void> {
	if (client.status === "ready") return;
	await new Promise<void>((resolve) => {
		client.once("ready", resolve);
		client.once("error", () => resolve());
	});
}

/** Rejects if Redis is unreachable or refuses. */
export async function pingRedis(url: string): Promise<void> {
	const client = new Redis(url, { ...OPTIONS, retryStrategy: () => null });
	// Without a listener a failure is printed a second time.
	client.on("error", () => {});
	try {
		await client.connect();
		await client.ping();
	} finally {
		client.disconnect();
	}
}

export async function createRedisCache(url: string, log: Log, prefix = PREFIX): Promise<Cache> {
	const client = connectRedis(url, log, "cache");
	await waitForFirstConnection(client);
	return {
		async set(key, value, ttlMs) {
			await client.set(prefix + key, value, "PX", ttlMs);
		},
		take: (key) => client.getdel(prefix + key),
		async increment(key, windowMs) {
			const [count, resetMs] = (await client.eval(COUNT, 1, prefix + key, windowMs)) as [number, number];
			return { count, resetMs };
		},
		async decrement(key) {
			await client.eval(UNCOUNT, 1, prefix + key);
		},
		async remove(key) {
			await client.del(prefix + key);
		},
		async ping() {
			await client.ping();
		},
		async close() {
			client.disconnect();
		},
	};
}

export async function createRedisPubSub(url: string, log: Log, prefix = PREFIX): Promise<PubSub> {
	const sender = connectRedis(url, log, "publish");
	// A subscriber may queue: its subscriptions are what it restores after a reconnect.
	const receiver = connectRedis(url, log, "subscribe", { enableOfflineQueue: true, maxRetriesPerRequest: null });
	await Promise.all([waitForFirstConnection(sender), waitForFirstConnection(receiver)]);
	const check = setInterval(() => receiver.ping().catch(() => {}), CHECK_MS).unref();
	const topics = new Map<string, Set<(message: string) => void>>();
	receiver.on("message", (channel, message) => {
		for (const listener of topics.get(channel) ?? []) listener(message);
	});
	return {
		async publish(topic, message) {
			await sender.publish(prefix + topic, message);
		},
		async subscribe(topic, listener) {
			const channel = prefix + topic;
			const listeners = topics.get(channel) ?? new Set();
			const first = listeners.size === 0;
			topics.set(channel, listeners.add(listener));
			// Not waited for while Redis is away: it happens on reconnection, and readers poll the store
			// besides.
			if (first) receiver.subscribe(channel).catch((error) => log.debug({ err: error, topic }, "subscribe delayed"));
			return {
				async unsubscribe() {
					listeners.delete(listener);
					if (listeners.size > 0 || topics.get(channel) !== listeners) return;
					topics.delete(channel);
					receiver.unsubscribe(channel).catch(() => {});
				},
			};
		},
		async close() {
			clearInterval(check);
			sender.disconnect();
			receiver.disconnect();
		},
	};
}
