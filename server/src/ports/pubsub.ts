/** Fan-out to every node. Delivery is best effort and at most once: subscribers re-read the store, they do not trust the message alone. */
export interface PubSub {
	publish(topic: string, message: string): Promise<void>;
	subscribe(topic: string, listener: (message: string) => void): Promise<Subscription>;
	close(): Promise<void>;
}

export interface Subscription {
	unsubscribe(): Promise<void>;
}
