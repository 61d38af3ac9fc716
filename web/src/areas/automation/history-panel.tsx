/** The history of a request: versions, decisions, comments and launches; and a new comment. */
import type { RequestHistoryEntry } from "@weft/contracts";
import { automationRequestRoutes, REQUEST_HISTORY_LIMITS } from "@weft/contracts/browser";
import { MessageSquarePlus } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { useTimes } from "../../platform/profile.ts";
import { formatValue } from "../../platform/value-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField } from "../../ui/field.tsx";
import { Loaded, Panel, ProblemBanner } from "../../ui/page.tsx";
import { RowsView } from "./rows-table.tsx";
import { RunMode } from "./words.tsx";

const ACTIONS: Readonly<Record<RequestHistoryEntry["action"], string>> = {
	created: "made the request",
	changed: "changed it",
	approved: "approved it",
	rejected: "rejected it",
	changes_requested: "requested changes",
	commented: "commented",
	launched: "launched it",
	cancelled: "cancelled it",
};
const PAGE_SIZE = 100;
const SHOWN_CHANGES = 20;

interface HistoryPanelProps {
	readonly id: string;
	/** The current version: it is on the page already. */
	readonly version: number;
	readonly canComment: boolean;
}

export function HistoryPanel({ id, version, canComment }: HistoryPanelProps) {
	const [page, setPage] = useState(1);
	const [opened, setOpened] = useState<number | null>(null);
	const query = { page: String(page), page_size: String(PAGE_SIZE) };
	const answer = useAnswer(automationRequestRoutes.history, { params: { id }, query }, { keepPrevious: true });
	return (
		<Panel title="History and comments">
			<Loaded answer={answer} lines={3}>
				{({ results, next, previous }) => (
					<>
						<ol aria-label="History" className="m-0 flex list-none flex-col gap-2 p-3">
							{results.map((entry) => (
								<Entry
									key={`${entry.at} ${entry.action} ${entry.user}`}
									entry={entry}
									onOpen={hasEarlierVersion(entry, version) ? () => setOpened(entry.version) : null}
								/>
							))}
						</ol>
						{(next !== null || previous !== null) && (
							<div className="flex gap-2 px-3 pb-3">
								<Button disabled={previous === null} onClick={() => setPage(page - 1)}>
									Earlier entries
								</Button>
								<Button disabled={next === null} onClick={() => setPage(page + 1)}>
									Later entries
								</Button>
							</div>
						)}
					</>
				)}
			</Loaded>
			{canComment && <NewComment id={id} />}
			{opened !== null && <VersionDialog id={id} version={opened} onClose={() => setOpened(null)} />}
		</Panel>
	);
}

const hasEarlierVersion = ({ action, version }: RequestHistoryEntry, current: number): boolean =>
	(action === "created" || action === "changed") && version < current;

function Entry({ entry, onOpen }: { entry: RequestHistoryEntry; onOpen: (() => void) | null }) {
	const times = useTimes();
	const { at, user, action, version, changes, changes_total, comment } = entry;
	return (
		<li className="flex flex-col gap-1">
			<div className="flex flex-wrap items-baseline gap-2">
				<b>{user}</b> {ACTIONS[action]}
				{(action === "created" || action === "changed") && <span className="text-muted">version {version}</span>}
				<span className="text-muted text-xs">{times.dateTime(at)}</span>
				{onOpen !== null && <Button onClick={onOpen}>Open version {version}</Button>}
			</div>
			{comment !== "" && (
				<p className="m-0 whitespace-pre-wrap rounded-cell bg-sunken px-2 py-1 [overflow-wrap:anywhere]">{comment}</p>
			)}
			{changes.length > 0 && (
				<ul className="m-0 flex list-none flex-col gap-0.5 p-0 text-xs">
					{changes.slice(0, SHOWN_CHANGES).map(({ path, before, after }) => (
						<li key={path} className="[overflow-wrap:anywhere]">
							<span className="mono">{path}</span>: {formatValue(before) ?? "(none)"} → {formatValue(after) ?? "(none)"}
						</li>
					))}
					{changes_total > SHOWN_CHANGES && <li>and {formatPlural(changes_total - SHOWN_CHANGES, "more change")}</li>}
				</ul>
			)}
		</li>
	);
}

function NewComment({ id }: { id: string }) {
	const [text, setText] = useState("");
	const add = useAction(() => callRoute(automationRequestRoutes.comment, { params: { id }, body: { text } }), {
		stale: ["automation_requests"],
		onSuccess: () => setText(""),
	});
	const problem = add.error === null ? null : findProblem(add.error);
	return (
		<div className="flex flex-col gap-2 border-line border-t p-3">
			<AreaField
				label="Comment"
				rows={2}
				maxLength={REQUEST_HISTORY_LIMITS.comment}
				value={text}
				error={problem?.fields.text}
				onChange={(event) => setText(event.target.value)}
			/>
			{problem !== null && problem.fields.text === undefined && <ProblemBanner error={add.error} />}
			<div>
				<Button
					icon={MessageSquarePlus}
					busy={add.isPending}
					disabled={text.trim() === ""}
					onClick={() => add.mutate(undefined)}
				>
					Add comment
				</Button>
			</div>
		</div>
	);
}

function VersionDialog({ id, version, onClose }: { id: string; version: number; onClose(): void }) {
	const params = { id, version: String(version) };
	const answer = useAnswer(automationRequestRoutes.version, { params });
	return (
		<Dialog open wide title={`Version ${version}`} onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
			<Loaded answer={answer} lines={4}>
				{(content) => (
					<div className="flex flex-col gap-2">
						<p className="m-0 flex flex-wrap items-center gap-2">
							<RunMode dryRun={content.check_mode} />
							<b>{content.title}</b>
							<span className="text-muted">{content.target_controller_name || content.automation_connection_name}</span>
						</p>
						{content.description !== "" && <p className="m-0 whitespace-pre-wrap">{content.description}</p>}
						<RowsView data={content.input_data} snapshot={content.template_snapshot} outcomes={null} />
					</div>
				)}
			</Loaded>
		</Dialog>
	);
}
