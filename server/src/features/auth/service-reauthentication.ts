/** A recent sign-in: required where an API token is made, and renewed by a password or a code. */
import type { Caller } from "../../platform/caller.ts";
import { buildForbiddenError, buildInvalidError, invalidField, notFound } from "../../platform/errors.ts";
import type { Events } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store, Tx } from "../../ports/store.ts";
import type { UserRow } from "./repo.ts";
import { findAuthenticatedAt, findUser, setAuthenticatedAt } from "./repo.ts";
import type { Consume, SecondFactor } from "./service-second-factor.ts";

export interface ReauthenticationDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly events: Pick<Events, "changed">;
	readonly secondFactor: Pick<SecondFactor, "check">;
	/** Whether this is the user's password, here or in the directory. */
	readonly isPassword: (user: UserRow, password: string) => Promise<boolean>;
}

const RECENT_MS = 15 * 60_000;
const WRONG_CODE = "Is not a code of this moment, or a backup code that is left.";

export function createReauthentication(deps: ReauthenticationDeps) {
	const { store, clock, events, secondFactor, isPassword } = deps;

	/** Returns what consumes the proof in the transaction. @throws 400 under the field */
	async function checkProof(user: UserRow, input: Proof): Promise<Consume> {
		if (input.password !== undefined) {
			if (!(await isPassword(user, input.password))) throw invalidField("password", "Is not the current password.");
			return async () => true;
		}
		const consume = await secondFactor.check(store.db, user.id, input.code ?? "");
		if (consume === null) throw invalidField("code", WRONG_CODE);
		return consume;
	}

	return {
		/** @throws 403 unless the session's user signed in or proved who they are within 15 minutes */
		async assertRecent(tx: Tx, caller: Caller): Promise<void> {
			const at = await findAuthenticatedAt(tx.db, caller.sessionId);
			if (at !== undefined && clock.now() - at.getTime() <= RECENT_MS) return;
			throw buildForbiddenError(
				"Your last sign-in is more than 15 minutes ago. Confirm your password, or sign in again, and repeat this.",
				{ code: "reauthentication_required" },
			);
		},

		async reauthenticate(caller: Caller, input: Proof): Promise<void> {
			if ((input.password === undefined) === (input.code === undefined))
				throw buildInvalidError({ non_field_errors: ["Give either the password or a code of the second factor."] });
			const user = await findUser(store.db, caller.userId);
			if (user === undefined) throw notFound();
			const consume = await checkProof(user, input);
			await store.transaction(async (tx) => {
				if (!(await consume(tx))) throw invalidField("code", WRONG_CODE);
				await setAuthenticatedAt(tx, caller.sessionId, new Date(clock.now()));
				await events.changed(tx, caller, {
					targetType: "user",
					targetId: caller.userId,
					description: `${caller.username} confirmed their sign-in with ${input.code === undefined ? "the password" : "a code"}`,
				});
			});
		},
	};
}

interface Proof {
	readonly password?: string | undefined;
	readonly code?: string | undefined;
}

export type Reauthentication = ReturnType<typeof createReauthentication>;
