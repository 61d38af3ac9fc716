/**
 * The requirements of a launch on the server's template, its payload, and the search for the
 * launched job.
 */
import type { AutomationWarning, LaunchPromptValues } from "@weft/contracts";
import type { FoundJob, LaunchInfo, LaunchPayload } from "../../../../integrations/awx/port.ts";
import { findLaunchGaps } from "../../templates/rules/launch-gaps.ts";
import { findUnaskedPrompts } from "../../templates/rules/unasked-prompts.ts";

/** The variable in which the reference of a launch travels. */
export const REFERENCE = "execution_ref";

export interface Wanted {
	readonly checkMode: boolean;
	readonly credentialId: number | null;
	/** Everything that is to be in the job's variables. */
	readonly variables: Readonly<Record<string, unknown>>;
	/** Those of them that hold rows: without them the job would do something else. */
	readonly rowVariables: readonly string[];
	readonly prompts: LaunchPromptValues;
}

/**
 * Why it is not launched; empty: it may be. What the server would drop without a word is refused
 * here.
 */
export function launchProblems(info: LaunchInfo, wanted: Wanted): Record<string, string[]> {
	const problems: Record<string, string[]> = {};
	if (wanted.checkMode && info.kind === "workflow") {
		problems.check_mode = ["A workflow cannot be run in check mode."];
	} else if (wanted.checkMode && !info.asks.job_type && info.job_type !== "check") {
		problems.check_mode = [
			`The template "${info.name}" of the automation server does not ask for the job type at launch: it would really run.`,
		];
	}
	const surveyed = wanted.rowVariables.filter((name) => info.surveyVariables.includes(name));
	if (surveyed.length > 0) {
		problems.input_data = [
			`The survey of the template "${info.name}" of the automation server asks for ${surveyed.join(", ")}: ` +
				"no question of a survey takes a list of rows. Remove the question, and let the template ask for " +
				"variables at launch.",
		];
	} else if (!info.asks.variables && wanted.rowVariables.length > 0) {
		problems.input_data = [
			`The job would not receive the rows (${wanted.rowVariables.join(", ")}): "${info.name}" does not ask for ` +
				'variables at launch. In AWX tick "Prompt on launch" at Variables.',
		];
	}
	if (!info.can_start) {
		problems.automation_connection = [
			`The user of the connection's token may not launch the template "${info.name}" of the automation server.`,
		];
	}
	if (wanted.credentialId !== null && !info.asks.credential && !hasCredential(info, wanted.credentialId)) {
		problems.automation_credential_id = [
			`The template "${info.name}" of the automation server does not ask for credentials at launch: its own would be used.`,
		];
	}
	for (const { name, message } of findUnaskedPrompts(info, Object.keys(wanted.prompts))) problems[name] = [message];
	const gaps = findLaunchGaps(info, {
		variables: new Set(Object.keys(wanted.variables)),
		hasCredential: wanted.credentialId !== null && info.asks.credential,
		hasInventory: wanted.prompts.inventory !== undefined && info.asks.inventory,
	});
	if (gaps.length > 0) problems.template = gaps.map(({ message }) => message);
	return problems;
}

const hasCredential = (info: LaunchInfo, id: number): boolean => info.credentials.some((one) => one.id === id);

export interface Prepared {
	readonly payload: LaunchPayload;
	/** Whether the reference reaches the job. */
	readonly referenceSent: boolean;
	readonly warnings: readonly AutomationWarning[];
}

/**
 * @param referenceName the variable with the launch's reference
 * @param credentialKind of the wanted credential; null where it is not known or does not matter
 */
export function prepareLaunch(
	info: LaunchInfo,
	wanted: Wanted,
	referenceName: string,
	credentialKind: string | null,
): Prepared {
	const accepted = (name: string) => info.asks.variables || info.surveyVariables.includes(name);
	const warnings: AutomationWarning[] = [];
	let variables = wanted.variables;
	if (info.kind === "workflow" && !info.asks.variables) {
		// A workflow refuses a launch with variables that it does not ask for.
		variables = Object.fromEntries(Object.entries(wanted.variables).filter(([name]) => accepted(name)));
		const left = Object.keys(wanted.variables).filter((name) => !accepted(name));
		if (left.length > 0) {
			const message = `The workflow does not ask for these variables, so they were not sent: ${left.join(", ")}.`;
			warnings.push({ code: "variables_not_sent", message });
		}
	}
	if (!wanted.checkMode && info.job_type === "check") {
		const message = `The template "${info.name}" of the automation server runs in check mode by itself: nothing will change.`;
		warnings.push({ code: "template_checks", message });
	}
	const credential = wanted.credentialId !== null && info.asks.credential ? wanted.credentialId : null;
	return {
		payload: {
			extraVars: variables,
			prompts: wanted.prompts,
			...(credential === null ? {} : { credentials: getCredentials(info, credential, credentialKind) }),
			...(wanted.checkMode && info.asks.job_type ? { jobType: "check" as const } : {}),
		},
		referenceSent: accepted(referenceName) && referenceName in variables,
		warnings,
	};
}

/**
 * It replaces the template's own credential of its kind; the others must be named again, or the
 * server refuses to drop them.
 */
function getCredentials(info: LaunchInfo, wanted: number, kind: string | null): number[] {
	const kept = info.credentials.filter((one) => one.id !== wanted && one.kind !== kind).map(({ id }) => id);
	return [wanted, ...kept];
}

/** Why a launched job must be cancelled: it is not the job that was requested. Null if it is. */
export function launchMismatch(
	job: { readonly jobType: string | null; readonly ignored: Readonly<Record<string, unknown>> },
	wanted: Wanted,
): string | null {
	if (wanted.checkMode && job.jobType !== "check") {
		return "The automation server dropped the check mode: the job would really run, and is cancelled.";
	}
	const { extra_vars: dropped } = job.ignored;
	const lost =
		typeof dropped === "object" && dropped !== null
			? wanted.rowVariables.filter((name) => Object.hasOwn(dropped, name))
			: [];
	if (lost.length > 0) return `The automation server dropped the rows (${lost.join(", ")}): the job is cancelled.`;
	const unset = Object.keys(wanted.prompts).filter((name) => Object.hasOwn(job.ignored, name));
	if (unset.length > 0) return `The automation server dropped ${unset.join(", ")}: the job is cancelled.`;
	if ("credentials" in job.ignored) return "The automation server dropped the credential: the job is cancelled.";
	return null;
}

/** Builds a warning of the fields that the server dropped; values are not repeated. */
export function buildIgnoredWarning(ignored: Readonly<Record<string, unknown>>): AutomationWarning | null {
	const names = Object.entries(ignored).flatMap(([name, value]) =>
		name === "extra_vars" && typeof value === "object" && value !== null
			? Object.keys(value).map((variable) => `extra_vars.${variable}`)
			: [name],
	);
	if (names.length === 0) return null;
	return {
		code: "ignored_fields",
		message: `The automation server did not take over: ${names.join(", ")}.`,
		fields: Object.fromEntries(names.map((name) => [name, "ignored"])),
	};
}

export interface Sought {
	readonly reference: string;
	readonly referenceName: string;
	readonly referenceSent: boolean;
	readonly rowVariables: readonly string[];
	readonly variables: Readonly<Record<string, unknown>>;
	/** Milliseconds; jobs made before are others. */
	readonly since: number;
	/** The job that was launched again; null for a first launch. */
	readonly relaunchOf: number | null;
}

/** Whether the job is distinguishable from others of its template. */
export const isDistinguishable = (sought: Sought): boolean => sought.referenceSent || sought.rowVariables.length > 0;

/** Whether a job of the template was made in the right way and at the right time. */
export function isCandidate(job: FoundJob, sought: Sought): boolean {
	if (job.created < sought.since) return false;
	if (sought.relaunchOf !== null) return job.launchType === "relaunch" && job.id > sought.relaunchOf;
	return job.launchType !== "relaunch" && job.launchType !== "workflow";
}

/** Whether a job of the template is the one that a launch made whose answer was lost. */
export function isSought(job: FoundJob, sought: Sought): boolean {
	if (!isCandidate(job, sought) || !isDistinguishable(sought)) return false;
	if (sought.referenceSent) return job.extraVars[sought.referenceName] === sought.reference;
	// Without the reference the rows themselves have to do.
	return sought.rowVariables.every((name) => isSameJson(job.extraVars[name], sought.variables[name]));
}

function isSameJson(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
	if (Array.isArray(a) !== Array.isArray(b)) return false;
	const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
	const keys = Object.keys(x);
	return (
		keys.length === Object.keys(y).length && keys.every((key) => Object.hasOwn(y, key) && isSameJson(x[key], y[key]))
	);
}
