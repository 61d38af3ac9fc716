/** Settings of which use cases know. */
import type { MfaRequirement } from "./areas/accounts/sign-in/rules/restriction.ts";

export interface ServiceSettings {
	/** Address of the web interface, for links and redirects; empty if unknown. */
	readonly frontendUrl: string;
	/** Upper bound of the life of API tokens, in days; null: none. */
	readonly tokenMaxDays: number | null;
	/** Days between two checks whether an account's person is gone; null: off. */
	readonly accountRecheckDays: number | null;
	/** Accounts that need a second factor. */
	readonly requireMfa: ReadonlySet<MfaRequirement>;
	/** Domains that scheduled tasks may send mail to beside the addresses of users, in lower case. */
	readonly mailDomains: readonly string[];
}
