/** The commands that administer users and the store, with or without a running service. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { email as emailAddress } from "@weft/contracts";
import { backUpStore, restoreStore } from "./admin-backup.ts";
import { examineInstallation, formatFindings } from "./admin-doctor.ts";
import {
	type CommandContext,
	createLocalUser,
	resetUserPassword,
	unlockUser,
} from "./areas/accounts/sign-in/create-local-users.ts";
import { recordChanges, verifyAudit } from "./areas/audit/index.ts";
import { renewChainKey } from "./areas/audit/seal-entries.ts";
import { verifySnapshots } from "./areas/history/index.ts";
import { type Config, readConfig } from "./config.ts";
import { readSecretFiles } from "./config-files.ts";
import { createEvents } from "./core/events.ts";
import { openForCommand } from "./open-command.ts";
import { countOlderSecrets, resealSecrets } from "./rotate-key.ts";
import { createKey, replaceKeyFile } from "./storage/secrets/key-file.ts";

const USAGE = `Usage: npm run admin -- COMMAND

  create-user NAME [--email ADDRESS] [--superuser]   create a user
  reset-password NAME                                set a new password and end all sessions
  unlock NAME                                        let a locked or deactivated user in again
  audit-verify [--head CODE]...                      verify the audit log's hash chain, and the codes
                                                     that were noted at the end of a day
  audit-renew-key                                    go on with a new key where that of the audit log's
                                                     chain is lost with the secret key
  rotate-key [--forget]                              seal every stored secret with a new key;
                                                     --forget: stop accepting the earlier keys
  replace-key                                        create a new key if secret.key is lost or damaged;
                                                     the stored secrets are lost
  backup FILE                                        write the whole store to a file; the service may run
  restore FILE [--unsigned]                          fill a new data folder or an empty database from a
                                                     backup; --unsigned: also from one without signature
  verify-snapshots                                   verify that every snapshot equals its capture
  doctor                                             check settings, store, clock and remote services

The password comes from WEFT_PASSWORD. Without it, a random password is created and printed.
`;

const OPTIONS = {
	email: { type: "string" },
	superuser: { type: "boolean", default: false },
	head: { type: "string", multiple: true, default: [] as string[] },
	forget: { type: "boolean", default: false },
	unsigned: { type: "boolean", default: false },
	help: { type: "boolean", default: false },
} as const;

/** Upper bound of problems that are listed. */
const SHOWN = 200;

type Options = ReturnType<typeof parseArguments>["values"];
type Opened = Awaited<ReturnType<typeof openForCommand>>;

/** The environment and the streams of a command. */
interface AdminIo {
	readonly environment: NodeJS.ProcessEnv;
	writeOutput(text: string): void;
	writeError(text: string): void;
}

const parseArguments = (args: readonly string[]) =>
	parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });

/**
 * The number of words after the command, and its work: on an opened store, or on the settings
 * alone. The work resolves with false if it found something wrong.
 */
type Command = {
	readonly words: number;
	readonly options?: readonly (keyof Options)[];
	/** Whether the command reads or writes the whole store, and so has no time limit. */
	readonly isLong?: true;
} & (
	| { run(opened: Opened, io: AdminIo, word: string, options: Options): Promise<boolean> }
	| { runAlone(config: Config, io: AdminIo, word: string, options: Options): Promise<boolean> }
);

const COMMANDS: Readonly<Record<string, Command>> = {
	"create-user": {
		words: 1,
		options: ["email", "superuser"],
		async run(opened, io, username, { superuser, email }) {
			const { password, shown } = getPassword(io.environment);
			await createLocalUser(getCommandContext(opened), {
				username,
				password,
				superuser,
				...(email === undefined ? {} : { email }),
			});
			return printLine(io, `${username} was made.${shown}`);
		},
	},
	"reset-password": {
		words: 1,
		async run(opened, io, username) {
			const { password, shown } = getPassword(io.environment);
			await resetUserPassword(getCommandContext(opened), username, password);
			return printLine(io, `${username} has a new password and no session any more.${shown}`);
		},
	},
	unlock: {
		words: 1,
		async run(opened, io, username) {
			await unlockUser(getCommandContext(opened), username);
			return printLine(io, `${username} can sign in again.`);
		},
	},
	"audit-verify": {
		words: 0,
		isLong: true,
		options: ["head"],
		async run(opened, io, _, { head }) {
			const { problems, days, blocks, entries, purged, waiting } = await verifyAudit(opened, head);
			for (const day of days) printLine(io, `${day.day}  ${String(day.entries).padStart(8)} entries  ${day.head}`);
			printLine(
				io,
				`${entries} entries in ${blocks} blocks are as they were sealed; ${purged} were removed when ` +
					`their time was over, ${waiting} wait to be sealed.`,
			);
			for (const problem of problems.slice(0, SHOWN)) io.writeError(`${problem}\n`);
			if (problems.length > SHOWN) io.writeError(`and ${problems.length - SHOWN} more\n`);
			return problems.length === 0;
		},
	},
	"audit-renew-key": {
		words: 0,
		run: async (opened, io) => printLine(io, await renewLostAuditKey(opened)),
	},
	"rotate-key": {
		words: 0,
		isLong: true,
		options: ["forget"],
		async run(opened, io, _, { forget }) {
			const { keyFile } = opened;
			const older = await countOlderSecrets(opened);
			if (keyFile === null && older === 0) {
				return printLine(
					io,
					"Every secret is under the current key. Put a new key before it in WEFT_SECRET_KEY of every " +
						"process, with a comma between them, start them anew, and run this again.",
				);
			}
			// Where some are still under an earlier key, a change of keys was begun and did not come to
			// its end.
			if (keyFile !== null && older === 0 && !forget) await keyFile.write([createKey(), keyFile.keys()[0]]);
			const { resealed, unreadable } = await resealSecrets(opened);
			for (const what of unreadable) io.writeError(`No key opens ${what}.\n`);
			const left = await countOlderSecrets(opened);
			printLine(io, `${resealed} secrets were sealed under the current key, ${left} are not under it.`);
			if (left > 0) return false;
			await recordRotation(opened, resealed, forget);
			if (keyFile === null)
				return printLine(io, "Earlier keys can be taken out of WEFT_SECRET_KEY. That ends the sessions they signed.");
			if (forget) await keyFile.write([keyFile.keys()[0]]);
			return printLine(
				io,
				forget
					? "Earlier keys are forgotten. Start the service anew: the sessions they signed have ended."
					: "The key before is still accepted, for sessions that it signed. rotate-key --forget forgets it.",
			);
		},
	},
	"replace-key": {
		words: 0,
		async runAlone(config, io) {
			if (config.secretKeys.length > 0) {
				throw new Error(
					"The key comes from WEFT_SECRET_KEY: change it there. If the key before is lost, run audit-renew-key then.",
				);
			}
			await replaceKeyFile(config.dataDir);
			const audit = await runOpened(renewLostAuditKey, config).catch(
				(error: unknown) =>
					`The audit log does not use it yet: ${formatSentence(error)} Run audit-renew-key after that.`,
			);
			return printLine(
				io,
				`There is a new key. ${audit} ` +
					" Enter the passwords and private keys of connections and the secrets of webhooks again, and " +
					"reset second factors: what was stored cannot be read any more. All users are signed out.",
			);
		},
	},
	backup: {
		words: 1,
		isLong: true,
		runAlone: async (config, io, file) => printLine(io, await backUpStore(config, file)),
	},
	restore: {
		words: 1,
		isLong: true,
		options: ["unsigned"],
		runAlone: async (config, io, file, { unsigned }) => printLine(io, await restoreStore(config, file, unsigned)),
	},
	"verify-snapshots": {
		words: 0,
		isLong: true,
		async run({ store }, io) {
			let [count, damaged] = [0, 0];
			for await (const checked of verifySnapshots(store)) {
				count += checked.count;
				damaged += checked.damaged.length;
				for (const { id, query_name, executed_at, problem } of checked.damaged)
					printLine(io, `${id} of ${query_name || "an ad-hoc query"}, ${executed_at.toISOString()}: ${problem}`);
			}
			printLine(io, `${count - damaged} of ${count} snapshots are what was captured, ${damaged} damaged.`);
			return damaged === 0;
		},
	},
	doctor: {
		words: 0,
		async runAlone(config, io) {
			const findings = await examineInstallation(config);
			io.writeOutput(formatFindings(findings));
			return findings.every(({ state }) => state !== "bad");
		},
	},
};

/**
 * Runs one command and returns its exit code: 0; 1 with a sentence on the error stream, or where
 * the command found something wrong.
 */
export async function runAdmin(args: readonly string[], io: AdminIo): Promise<0 | 1> {
	try {
		return (await runCommand(args, io)) ? 0 : 1;
	} catch (error) {
		io.writeError(`${formatSentence(error)}\n`);
		return 1;
	}
}

async function runCommand(args: readonly string[], io: AdminIo): Promise<boolean> {
	const { positionals, values } = parseArguments(args);
	const [name = "", ...words] = positionals;
	if (values.help) {
		io.writeOutput(USAGE);
		return true;
	}
	const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
	if (command === undefined) throw new Error(`There is no command ${JSON.stringify(name)}: see --help.`);
	checkUsage(name, command, words, values);
	const config = readConfig(io.environment);
	const [word = ""] = words;
	const work =
		"runAlone" in command
			? command.runAlone(config, io, word, values)
			: runOpened((opened) => command.run(opened, io, word, values), config);
	return command.isLong ? work : runInTime(name, work);
}

async function runOpened<T>(run: (opened: Opened) => Promise<T>, config: Config): Promise<T> {
	const opened = await openForCommand(config);
	try {
		return await run(opened);
	} finally {
		await opened.close();
	}
}

/** Longest time of a command that is not long, a start of the embedded store included. */
const LIMIT_MS = 180_000;

async function runInTime(name: string, work: Promise<boolean>): Promise<boolean> {
	const late = sleep(LIMIT_MS, undefined, { ref: false }).then(() => {
		throw new Error(
			`${name} was not done after ${LIMIT_MS / 60_000} minutes and was given up. Check that the store answers, and run it again.`,
		);
	});
	return Promise.race([work, late]);
}

/** @throws with a sentence where words or options are not those of the command */
function checkUsage(name: string, command: Command, words: readonly string[], values: Options): void {
	if (words.length !== command.words || words.includes("")) {
		const wanted = command.words === 0 ? "no word" : "one word";
		throw new Error(`${name} takes ${wanted} after it, and got ${words.length}: see --help.`);
	}
	for (const option of Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]) {
		const value = values[option];
		const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
		if (isGiven && !command.options?.includes(option))
			throw new Error(`${name} has no option --${option}: see --help.`);
	}
	if (values.email !== undefined && (values.email === "" || !emailAddress.safeParse(values.email).success)) {
		throw new Error(`${JSON.stringify(values.email)} is no email address.`);
	}
	for (const head of values.head) {
		if (!/^[0-9a-f]{64}$/i.test(head))
			throw new Error(`${JSON.stringify(head)} is no code: it has 64 digits 0-9, a-f.`);
	}
}

/** The commands' changes are recorded like those of the service. */
function getEvents(opened: Opened) {
	const events = createEvents({
		enqueue: () => Promise.reject(new Error("a command cannot enqueue background work")),
	});
	recordChanges({ ...opened, events });
	return events;
}

const getCommandContext = (opened: Opened): CommandContext => ({ ...opened, events: getEvents(opened) });

const ACTOR = {
	userId: null,
	username: "command line",
	ip: "",
	userAgent: "",
	requestId: "",
	audit: { category: "admin_action", action: "key_rotate" },
} as const;

async function recordRotation(opened: Opened, resealed: number, forgotten: boolean): Promise<void> {
	const events = getEvents(opened);
	await opened.store.transaction((tx) =>
		events.changed(tx, ACTOR, {
			targetType: "secret_key",
			targetId: "",
			description: "Stored secrets were sealed under another key",
			metadata: { resealed, forgotten },
		}),
	);
}

/** Gives the audit log's chain a new key where the one before is lost. Answers a sentence. */
async function renewLostAuditKey(opened: Opened): Promise<string> {
	const events = getEvents(opened);
	return opened.store.transaction(async (tx) => {
		const last = await renewChainKey(opened, tx);
		if (last === null) return "The key of the audit log's chain can be read, and stays.";
		await events.changed(tx, ACTOR, {
			targetType: "secret_key",
			targetId: "",
			description: "The chain of the audit log goes on with a new key, because the one before is lost",
			metadata: { last_block_before: last },
		});
		return `The audit log's chain goes on with a new key; its blocks up to ${last} cannot be verified any more.`;
	});
}

function getPassword(environment: NodeJS.ProcessEnv): { password: string; shown: string } {
	const given = readSecretFiles(environment, []).WEFT_PASSWORD;
	const password = given || randomBytes(16).toString("base64url");
	return { password, shown: given ? "" : ` The password is ${password}` };
}

function printLine(io: AdminIo, text: string): true {
	io.writeOutput(`${text}\n`);
	return true;
}

/** One sentence. A connection that is refused at several addresses has a message for each. */
function formatSentence(error: unknown): string {
	if (error instanceof AggregateError && error.message === "") return formatSentence(error.errors[0]);
	const text = error instanceof Error ? error.message : String(error);
	return text.trim() || "The command failed for a reason that has no message.";
}
