/** A directory (LDAP) that people sign in with. */

export interface DirectoryGroup {
	/** Distinguished name (RFC 4514). */
	readonly dn: string;
	/** Its common name. */
	readonly name: string;
}

export interface DirectoryPerson {
	readonly username: string;
	readonly email: string;
	readonly first_name: string;
	readonly last_name: string;
	/** Null: unknown, because nothing names them or they could not be read in full. */
	readonly groups: readonly DirectoryGroup[] | null;
}

/** Names of people whom the directory was asked for. */
export interface FoundPeople {
	readonly present: readonly string[];
	readonly absent: readonly string[];
}

export interface Directory {
	/**
	 * The person, if the directory knows exactly one of that name and takes the password; else null.
	 * Rejects with `DirectoryUnavailable` when the directory cannot be asked.
	 */
	authenticate(username: string, password: string): Promise<DirectoryPerson | null>;
	/**
	 * Looks up people by username. A name whose search failed is in neither list.
	 * Rejects with `DirectoryUnavailable` when the directory cannot be asked, or shows nobody at all.
	 */
	findPeople(usernames: readonly string[]): Promise<FoundPeople>;
}

/** The directory is unreachable or rejects the service account. The message contains no secret. */
export class DirectoryUnavailable extends Error {
	override readonly name = "DirectoryUnavailable";
}

/** What membership in the directory's groups means here. */
export interface DirectoryRules {
	/** Weft group names by directory group, which is given by DN or common name. */
	readonly groupMap: Readonly<Record<string, readonly string[]>>;
	/** Directory group whose members are administrators; null: not managed by the directory. */
	readonly adminGroup: string | null;
}
