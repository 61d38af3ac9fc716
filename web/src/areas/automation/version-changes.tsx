/** Differences between the current version of a request and an earlier one. */
import type { AutomationRequestDetail } from "@weft/contracts";
import { automationRequestRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../platform/call.ts";
import { Button } from "../../ui/button.tsx";
import { Banner, Loaded, Panel } from "../../ui/page.tsx";
import { ChangesView } from "./changes-view.tsx";
import { useHistory } from "./history-panel.tsx";

const SENT_BACK = ["rejected", "changes_requested"];

/** Shows the changes since the version that was sent back, or else since the version before. */
export function VersionChanges({ request }: { request: AutomationRequestDetail }) {
	const { id, version, target_controller } = request;
	const history = useHistory(id);
	const decided = history.data?.results.findLast(({ action }) => SENT_BACK.includes(action));
	const base = decided?.version ?? version - 1;
	const params = { id, version: String(base) };
	const answer = useAnswer(automationRequestRoutes.version, { params }, { enabled: history.data !== undefined });
	const why = decided === undefined ? "" : `, which ${decided.user} sent back`;
	return (
		<Panel title={`Changes since version ${base}${why}`} padded>
			<Loaded answer={answer} lines={2}>
				{(before) => <ChangesView before={before} after={request} connection={target_controller} />}
			</Loaded>
		</Panel>
	);
}

interface ChangedWhileReadProps {
	readonly before: AutomationRequestDetail;
	readonly after: AutomationRequestDetail;
	onRead(): void;
}

/** Warns an approver that the page shows a later version than the one that they began to read. */
export function ChangedWhileRead({ before, after, onRead }: ChangedWhileReadProps) {
	return (
		<section
			aria-label="Changed while you read it"
			className="flex flex-col gap-2 rounded-card border border-line bg-surface p-3"
		>
			<Banner
				tone="warn"
				title={`The request changed while you read it. This is version ${after.version}.`}
				action={<Button onClick={onRead}>I have read the changes</Button>}
			/>
			<ChangesView before={before} after={after} connection={after.target_controller} />
		</section>
	);
}
