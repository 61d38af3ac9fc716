/** Passwords as argon2id with the parameters that OWASP recommends (19 MiB, 2 passes, 1 lane). */
import { type Algorithm, hash, verify } from "@node-rs/argon2";
import type { Passwords } from "../ports/passwords.ts";

const PARAMETERS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function createPasswords(parameters: Partial<typeof PARAMETERS> = {}): Passwords {
	const options = { ...PARAMETERS, ...parameters };
	let decoy: Promise<string> | null = null;
	let common: Promise<ReadonlySet<string>> | null = null;

	return {
		hash: (password) => hash(password, options),
		async verify(stored, password) {
			if (stored.startsWith("$argon2id$")) return verify(stored, password);
			decoy ??= hash("no account has this password", options);
			await verify(await decoy, password);
			return false;
		},
		async commonCheck() {
			common ??= import("@zxcvbn-ts/language-common").then(
				({ dictionary }) => new Set(dictionary["passwords-common"] as Iterable<string>),
			);
			const set = await common;
			return (lower) => set.has(lower);
		},
	};
}
