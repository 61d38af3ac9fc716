/** Encryption of stored secrets, and keys derived for signing. */
export interface Secrets {
	/**
	 * Encrypts for storage under the current key. `context` names row and column; decrypting under
	 * another context fails, so a ciphertext moved to another row is worthless.
	 */
	seal(plaintext: string, context: string): string;
	/** Throws when the key is unknown, the context differs, or the text was changed. */
	open(sealed: string, context: string): string;
	/** Whether it was sealed under the current key. */
	isCurrent(sealed: string): boolean;
	/** A key for one purpose, 32 bytes. */
	derive(purpose: string): Buffer;
	/** Derived keys of all accepted keys, the current one first, to verify older signatures. */
	deriveAll(purpose: string): readonly [Buffer, ...Buffer[]];
}

/** Where sealed secrets lie, so that they can be sealed anew under another key. */
export interface SealedColumn {
	readonly table: string;
	/** The column that tells rows apart. */
	readonly key: string;
	readonly column: string;
	/** The context under which the secret of a row was sealed. */
	context(key: string): string;
}
