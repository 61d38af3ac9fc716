/** One's own second factor: setup, verification, status, backup codes, removal. */
import qrcode from "qrcode";
import type { Caller } from "../../platform/caller.ts";
import { buildRefusedError, invalidField, notFound } from "../../platform/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store, Tx } from "../../ports/store.ts";
import { otpauthUrl } from "./domain/totp.ts";
import type { UserRow } from "./repo.ts";
import { findUser, updateUser } from "./repo.ts";
import { confirmMfa, countBackupCodes, findMfa, lockMfa, removeMfa } from "./repo-secrets.ts";
import type { AuthDeps } from "./service.ts";
import type { SecondFactor } from "./service-second-factor.ts";
import type { Sessions } from "./service-sessions.ts";

export interface MfaDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly secondFactor: SecondFactor;
	readonly sessions: Pick<Sessions, "changed">;
	readonly events: AuthDeps["events"];
	/** Whether this is the user's password, here or in the directory. */
	readonly isPassword: (user: UserRow, password: string) => Promise<boolean>;
}

export function createMfa({ store, clock, secondFactor, sessions, events, isPassword }: MfaDeps) {
	async function withPassword(caller: Caller, password: string): Promise<UserRow> {
		const user = await findUser(store.db, caller.userId);
		if (user === undefined) throw notFound();
		if (!(await isPassword(user, password))) throw invalidField("password", "Is not the current password.");
		return user;
	}

	const record = (tx: Tx, caller: Caller, text: string) =>
		events.changed(tx, caller, {
			targetType: "user",
			targetId: caller.userId,
			description: `${caller.username} ${text}`,
		});

	return {
		async setup(caller: Caller) {
			const secret = await store.transaction(async (tx) => {
				const begun = await secondFactor.begin(tx, caller.userId);
				if (begun === null) throw buildRefusedError("The second factor is in use. Disable it first.");
				await record(tx, caller, "began to set up a second factor");
				return begun;
			});
			const otpauth_url = otpauthUrl(secret, caller.username);
			return { secret, otpauth_url, qr_code_svg: await qrcode.toString(otpauth_url, { type: "svg" }) };
		},

		async verify(caller: Caller, code: string) {
			return store.transaction(async (tx) => {
				const row = await lockMfa(tx, caller.userId);
				if (row === undefined) throw invalidField("code", "Set the second factor up first.");
				if (row.confirmed_at !== null) throw invalidField("code", "The second factor is in use already.");
				const consume = secondFactor.checkTotp(row, code);
				if (consume === null || !(await consume(tx))) throw invalidField("code", "Is not the code of this moment.");
				await confirmMfa(tx, caller.userId, new Date(clock.now()));
				await updateUser(tx, caller.userId, { mfa_enabled: true });
				await sessions.changed(tx, caller.userId);
				const backup_codes = await secondFactor.newBackupCodes(tx, row);
				await record(tx, caller, "turned the second factor on");
				return { enabled: true as const, backup_codes };
			});
		},

		async status(caller: Caller) {
			const row = await findMfa(store.db, caller.userId);
			const enabled = row !== undefined && row.confirmed_at !== null;
			return {
				enabled,
				backup_codes_remaining: enabled ? await countBackupCodes(store.db, caller.userId) : 0,
			};
		},

		async backupCodes(caller: Caller, password: string) {
			await withPassword(caller, password);
			return store.transaction(async (tx) => {
				const row = await lockMfa(tx, caller.userId);
				if (row === undefined || row.confirmed_at === null) throw buildRefusedError("The second factor is not in use.");
				const backup_codes = await secondFactor.newBackupCodes(tx, row);
				await record(tx, caller, "made new backup codes");
				return { backup_codes };
			});
		},

		async disable(caller: Caller, password: string) {
			await withPassword(caller, password);
			return store.transaction(async (tx) => {
				await removeMfa(tx, caller.userId);
				await updateUser(tx, caller.userId, { mfa_enabled: false });
				await sessions.changed(tx, caller.userId);
				await record(tx, caller, "turned the second factor off");
				return { enabled: false as const };
			});
		},
	};
}

export type Mfa = ReturnType<typeof createMfa>;
