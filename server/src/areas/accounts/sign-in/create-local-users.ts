/** Users without the API: the first superuser, and commands of the command line. */
import { type Context, getNow } from "../../../context.ts";
import { findBrokenUnique } from "../../../core/ports/store.ts";
import { announceToNodes } from "./create-sessions.ts";
import { buildUsernameKey, USERNAME } from "./rules/names.ts";
import { listPasswordErrors } from "./rules/password-policy.ts";
import { revokeApiTokens } from "./sql/api-tokens.ts";
import { consumeInvitation } from "./sql/invitations.ts";
import { removeChallenges, removeTokens } from "./sql/secrets.ts";
import {
	endOtherSessions,
	findUserByKey,
	forgiveFailures,
	hasUsers,
	insertUserRow,
	updateUser,
} from "./sql/sign-in.ts";

/** What commands have of the context: they run without the service. */
export type CommandContext = Pick<Context, "store" | "clock" | "passwords" | "announcements" | "events">;

/** The actor of a command. Access to the machine is the authorization, so there is no user. */
const buildActor = (username: string, action: string) => ({
	userId: null,
	username,
	ip: "",
	userAgent: "",
	requestId: "",
	audit: { category: "user_management", action } as const,
});
const FIRST_START = "first start";
const COMMAND_LINE = "command line";

async function requireUser(ctx: CommandContext, username: string) {
	const user = await findUserByKey(ctx.store.db, buildUsernameKey(username));
	if (user === undefined) throw new Error(`There is no user ${username}.`);
	return user;
}

async function insertUser(
	ctx: CommandContext,
	input: {
		username: string;
		password: string;
		email?: string;
		superuser: boolean;
		by: string;
	},
): Promise<number> {
	if (!USERNAME.test(input.username)) {
		throw new Error("A username has 3 to 150 letters, digits and the characters . @ + - _");
	}
	const password_hash = await ctx.passwords.hash(input.password);
	try {
		return await ctx.store.transaction(async (tx) => {
			const user = await insertUserRow(tx, {
				username: input.username,
				username_key: buildUsernameKey(input.username),
				email: input.email ?? "",
				first_name: "",
				last_name: "",
				password_hash,
				is_superuser: input.superuser,
				preferences: "{}",
				date_joined: getNow(ctx),
			});
			await ctx.events.changed(tx, buildActor(input.by, "cli_user_create"), {
				targetType: "user",
				targetId: user.id,
				description: `${input.username} was created ${input.by === FIRST_START ? "at first start" : "on the command line"}`,
				metadata: { is_superuser: input.superuser },
			});
			return user.id;
		});
	} catch (error) {
		if (findBrokenUnique(error) === "users_email") throw new Error("Another user has this email address.");
		if (findBrokenUnique(error) !== null) throw new Error(`There is a user ${input.username} already.`);
		throw error;
	}
}

async function checkPassword(
	ctx: CommandContext,
	password: string,
	person: { username: string; email: string },
): Promise<void> {
	const errors = listPasswordErrors(
		password,
		{ first_name: "", last_name: "", ...person },
		await ctx.passwords.commonCheck(),
	);
	if (errors.length > 0) throw new Error(`The password is not accepted. ${errors.join(" ")}`);
}

/**
 * Creates the first superuser; null when there is a user already. Safe when processes start
 * together.
 */
export async function ensureFirstUser(ctx: CommandContext, username: string, password: string): Promise<number | null> {
	if (await hasUsers(ctx.store.db)) return null;
	return insertUser(ctx, { username, password, superuser: true, by: FIRST_START }).catch(async (error: unknown) => {
		if (await hasUsers(ctx.store.db)) return null;
		throw error;
	});
}

export async function createLocalUser(
	ctx: CommandContext,
	input: {
		username: string;
		password: string;
		email?: string;
		superuser: boolean;
	},
): Promise<number> {
	await checkPassword(ctx, input.password, { username: input.username, email: input.email ?? "" });
	return insertUser(ctx, { ...input, by: COMMAND_LINE });
}

/** Sets a new password and ends all sessions. */
export async function resetUserPassword(ctx: CommandContext, username: string, password: string): Promise<void> {
	const user = await requireUser(ctx, username);
	await checkPassword(ctx, password, user);
	const password_hash = await ctx.passwords.hash(password);
	await ctx.store.transaction(async (tx) => {
		await updateUser(tx, user.id, { password_hash, must_change_password: false });
		await removeTokens(tx, user.id, ["password_reset", "reset_code"]);
		await consumeInvitation(tx, user.id);
		await removeChallenges(tx, user.id);
		await endOtherSessions(tx, user.id, null, getNow(ctx));
		await revokeApiTokens(tx, user.id, getNow(ctx));
		await forgiveFailures(tx, user.username_key, null);
		await announceToNodes(ctx, tx, user.id);
		await ctx.events.changed(tx, buildActor(COMMAND_LINE, "cli_password_reset"), {
			targetType: "user",
			targetId: user.id,
			description: `The password of ${user.username} was set from the command line`,
		});
	});
}

/** Ends a lockout and reactivates the user. */
export async function unlockUser(ctx: CommandContext, username: string): Promise<void> {
	const user = await requireUser(ctx, username);
	await ctx.store.transaction(async (tx) => {
		await updateUser(tx, user.id, { is_active: true });
		await forgiveFailures(tx, user.username_key, null);
		await announceToNodes(ctx, tx, user.id);
		await ctx.events.changed(tx, buildActor(COMMAND_LINE, "cli_user_unlock"), {
			targetType: "user",
			targetId: user.id,
			description: `${user.username} was unlocked from the command line`,
		});
	});
}
