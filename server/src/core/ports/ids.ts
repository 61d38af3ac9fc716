/** Identifiers and randomness. */
export interface Ids {
	/** UUID version 7 (RFC 9562): sortable by creation. */
	uuid(): string;
	/** `bytes` of cryptographic randomness as base64url. */
	token(bytes: number): string;
}
