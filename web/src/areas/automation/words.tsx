/** States of requests, executions and rows, and the mark of a dry run. */
import {
	CircleAlert,
	CircleCheck,
	CircleDashed,
	CircleHelp,
	CircleMinus,
	CircleX,
	Clock,
	EyeOff,
	FlaskConical,
	LoaderCircle,
	Pencil,
	ThumbsUp,
	TriangleAlert,
	Unplug,
} from "lucide-react";
import { formatPlural } from "../../platform/format.ts";
import { Confirm } from "../../ui/dialog.tsx";
import { type Look, Pill, State } from "../../ui/pill.tsx";

export const REQUEST_LOOKS: Readonly<Record<string, Look>> = {
	awaiting_approval: ["Awaiting approval", "warn", Clock],
	approved: ["Approved", "accent", ThumbsUp],
	rejected: ["Rejected", "bad", CircleX],
	pending: ["Not launched", "neutral", CircleDashed],
	running: ["Running", "accent", LoaderCircle, true],
	successful: ["Succeeded", "ok", CircleCheck],
	failed: ["Failed", "bad", CircleX],
	cancelled: ["Cancelled", "neutral", CircleMinus],
};

const EXECUTION_LOOKS: Readonly<Record<string, Look>> = {
	...REQUEST_LOOKS,
	pending: ["Queued", "neutral", CircleDashed],
	waiting: ["Queued on the server", "neutral", Clock],
	skipped: ["Skipped", "neutral", CircleMinus],
	error: ["Error", "bad", CircleAlert],
};

export const ROW_LOOKS: Readonly<Record<string, Look>> = {
	ok: ["Unchanged", "ok", CircleCheck],
	changed: ["Changed", "accent", Pencil],
	failed: ["Failed", "bad", CircleX],
	unreachable: ["Unreachable", "bad", Unplug],
	skipped: ["Skipped", "neutral", CircleMinus],
	censored: ["Hidden by no_log", "warn", EyeOff],
	unknown: ["Unknown", "warn", CircleHelp],
};

export const RequestStatus = ({ status }: { status: string }) => <State looks={REQUEST_LOOKS} status={status} />;
export const ExecutionStatus = ({ status }: { status: string }) => <State looks={EXECUTION_LOOKS} status={status} />;
export const RowStatus = ({ status }: { status: string }) => <State looks={ROW_LOOKS} status={status} />;

/** The mark of a state that has warnings; their messages are its title. */
export function Warned({ warnings }: { warnings: readonly { readonly message: string }[] }) {
	if (warnings.length === 0) return null;
	return (
		<Pill tone="warn" icon={TriangleAlert} title={warnings.map(({ message }) => message).join("\n")}>
			{formatPlural(warnings.length, "warning")}
		</Pill>
	);
}

/** Whether the job changes anything; said at every step. */
export function RunMode({ dryRun }: { dryRun: boolean }) {
	return dryRun ? (
		<Pill tone="violet" icon={FlaskConical} title="Check mode: the job reports its changes without making them">
			Dry run
		</Pill>
	) : (
		<Pill tone="warn" icon={CircleAlert} title="The job changes the network">
			Makes changes
		</Pill>
	);
}

export const isExecutionOver = (status: string): boolean => !["pending", "waiting", "running"].includes(status);

/** What the user is asked before a job is acted on: title, verb of the button, text. */
export type Question = readonly [title: string, verb: string, text: string];

/** Asks before a job is acted on, and says whether it changes anything. */
export function AskAboutJob({
	question: [title, verb, text],
	dryRun,
	onConfirm,
	onClose,
}: {
	question: Question;
	dryRun: boolean;
	onConfirm(): Promise<unknown>;
	onClose(): void;
}) {
	return (
		<Confirm open title={title} verb={verb} onConfirm={onConfirm} onClose={onClose}>
			<p className="m-0 flex flex-wrap items-center gap-2">
				<RunMode dryRun={dryRun} /> {text}
			</p>
		</Confirm>
	);
}
