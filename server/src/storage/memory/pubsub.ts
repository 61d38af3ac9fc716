/** Fan-out within one process. */
import type { PubSub } from "../../core/ports/pubsub.ts";

export function createMemoryPubSub(): PubSub {
	const topics = new Map<string, Set<(message: string) => void>>();
	return {
		async publish(topic, message) {
			for (const listener of topics.get(topic) ?? []) queueMicrotask(() => listener(message));
		},
		async subscribe(topic, listener) {
			const listeners = topics.get(topic) ?? new Set();
			topics.set(topic, listeners.add(listener));
			return {
				async unsubscribe() {
					listeners.delete(listener);
					if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
				},
			};
		},
		async close() {
			topics.clear();
		},
	};
}
