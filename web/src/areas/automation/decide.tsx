/**
 * Approving, requesting changes and rejecting. A decision applies to the request as it was when the
 * dialog opened: its `updated_at` is sent with it. If the request changed meanwhile, the changes
 * are shown first. The typed text is kept.
 */
import type { AutomationRequestDetail } from "@weft/contracts";
import { automationRequestRoutes } from "@weft/contracts/browser";
import { Check, PencilLine, X } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField } from "../../ui/field.tsx";
import { Banner, ProblemBanner } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ChangesView } from "./changes-view.tsx";
import { RunMode } from "./words.tsx";

interface DecideProps {
	/** The current request, which the page shows. */
	readonly request: AutomationRequestDetail;
	/** The version that the user began to read; null if it is the current one. */
	readonly changedSince: AutomationRequestDetail | null;
	/** Fetches the current state. */
	onConflict(): void;
	onDecided(): void;
}

type Asked = "approve" | "changes" | "reject";

interface Words {
	/** Without the title of the request. */
	readonly question: string;
	readonly verb: string;
	readonly done: string;
	readonly hint: string;
}

const WORDS: Readonly<Record<Asked, Words>> = {
	approve: {
		question: "Approve",
		verb: "Approve",
		done: "The request is approved",
		hint: "Optional. The requester sees it.",
	},
	changes: {
		question: "Request changes of",
		verb: "Request changes",
		done: "The requester is asked to change the request",
		hint: "Required: name the changes. The requester can edit the request and submit it again.",
	},
	reject: {
		question: "Reject",
		verb: "Reject",
		done: "The request is rejected",
		hint: "Required. The requester sees it.",
	},
};

interface Opened {
	readonly verb: Asked;
	/** The request to which the decision applies. */
	readonly read: AutomationRequestDetail;
}

export function Decide({ request, changedSince, onConflict, onDecided }: DecideProps) {
	const [opened, setOpened] = useState<Opened | null>(null);
	const [text, setText] = useState("");
	const ask = (verb: Asked) => setOpened({ verb, read: request });
	const close = () => setOpened(null);
	const isOutdated = opened !== null && opened.read.updated_at !== request.updated_at;
	return (
		<>
			<Button variant="danger" icon={X} onClick={() => ask("reject")}>
				Reject
			</Button>
			<Button icon={PencilLine} onClick={() => ask("changes")}>
				Request changes
			</Button>
			<Button variant="primary" icon={Check} onClick={() => ask("approve")}>
				Approve
			</Button>
			{opened !== null && !isOutdated && (
				<DecideDialog
					key={opened.read.updated_at}
					read={opened.read}
					asked={opened.verb}
					{...{ changedSince, text, onConflict, onDecided }}
					onText={setText}
					onClose={close}
				/>
			)}
			{opened !== null && isOutdated && (
				<ChangedDialog
					read={opened.read}
					latest={request}
					onRead={() => {
						close();
						onDecided();
					}}
				/>
			)}
		</>
	);
}

interface DecideDialogProps extends Pick<DecideProps, "changedSince" | "onConflict" | "onDecided"> {
	readonly read: AutomationRequestDetail;
	readonly asked: Asked;
	readonly text: string;
	onText(text: string): void;
	onClose(): void;
}

function DecideDialog(props: DecideDialogProps) {
	const { read, asked, changedSince, text, onText, onConflict, onDecided, onClose } = props;
	const words = WORDS[asked];
	const decide = useAction(
		() => {
			const params = { id: read.id };
			const { updated_at } = read;
			if (asked === "approve") {
				return callRoute(automationRequestRoutes.approve, { params, body: { comment: text, updated_at } });
			}
			const body = { reason: text, changes_requested: asked === "changes", updated_at };
			return callRoute(automationRequestRoutes.reject, { params, body });
		},
		{
			stale: ["automation_requests"],
			onSuccess() {
				showToast(words.done);
				onText("");
				onClose();
				onDecided();
			},
			onError: (error) => findProblem(error).status === 409 && onConflict(),
		},
	);
	const problem = decide.error === null ? null : findProblem(decide.error);
	const missing = asked !== "approve" && text.trim() === "";
	return (
		<Dialog
			open
			title={`${words.question} "${read.title}"?`}
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant={asked === "reject" ? "danger" : "primary"}
						busy={decide.isPending}
						disabled={missing}
						onClick={() => decide.mutate(undefined)}
					>
						{words.verb}
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3">
				<p className="m-0 flex flex-wrap items-center gap-2">
					<RunMode dryRun={read.check_mode} />
					{formatPlural(read.row_count, "row")} of {read.requested_by} for{" "}
					<b>{read.target_controller_name || read.automation_connection_name}</b>
				</p>
				{changedSince !== null && (
					<>
						<Banner tone="warn" title="The request changed while you read it." />
						<ChangesView before={changedSince} after={read} connection={read.target_controller} />
					</>
				)}
				{asked === "approve" && (
					<p className="m-0 text-muted">After approval, rows, mode and target cannot be changed.</p>
				)}
				<AreaField
					label={asked === "approve" ? "Comment" : asked === "changes" ? "Wanted changes" : "Reason"}
					hint={words.hint}
					rows={3}
					maxLength={2000}
					value={text}
					data-autofocus
					error={problem?.fields.reason ?? problem?.fields.comment}
					onChange={(event) => onText(event.target.value)}
				/>
				{problem !== null && problem.status !== 409 && problem.status !== 400 && <ProblemBanner error={decide.error} />}
			</div>
		</Dialog>
	);
}

interface ChangedProps {
	readonly read: AutomationRequestDetail;
	readonly latest: AutomationRequestDetail;
	onRead(): void;
}

function ChangedDialog({ read, latest, onRead }: ChangedProps) {
	return (
		<Dialog
			open
			wide
			title="The request changed since you read it"
			description="Your decision was not taken: it was about the earlier version. Read the changes, then decide. Your text is kept."
			dismissible={false}
			onClose={onRead}
			actions={
				<Button variant="primary" onClick={onRead}>
					Read the current version
				</Button>
			}
		>
			<div className="flex flex-col gap-3">
				{latest.status !== read.status && (
					<Banner tone="warn" title="It has been decided meanwhile." detail={`Its state is "${latest.status}".`} />
				)}
				<ChangesView before={read} after={latest} connection={latest.target_controller} />
			</div>
		</Dialog>
	);
}
