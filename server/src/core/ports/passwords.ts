/** Password hashing. */
export interface Passwords {
	hash(password: string): Promise<string>;
	/** False also for a hash that is none; takes as long as for one that is. */
	verify(hash: string, password: string): Promise<boolean>;
	/** Whether a lower-cased password is among the most common ones. */
	commonCheck(): Promise<(lower: string) => boolean>;
}
