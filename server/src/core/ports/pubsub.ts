/**
 * Best-effort fan-out to every node, at most once. Subscribers re-read the store on each message.
 */
export interface PubSub {
	publish(topic: string, message: string): Promise<void>;
	subscribe(topic: string, listener: (message: string) => void): Promise<Subscription>;
	close(): Promise<void>;
}

interface Subscription {
	unsubscribe(): Promise<void>;
}
