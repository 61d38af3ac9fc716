/** What forms with unsaved changes share: their buttons, and the question before they are left. */
import { useBlocker } from "@tanstack/react-router";
import { session } from "../platform/weft.ts";
import { Button } from "./button.tsx";
import { Confirm } from "./dialog.tsx";

/** Asks before another page replaces unsaved changes. The browser asks before the tab is closed. */
export function UnsavedGuard({ dirty }: { dirty: boolean }) {
	const { status, proceed, reset } = useBlocker({
		// Nothing can be saved after the end of the session.
		shouldBlockFn: () => dirty && session.state().status !== "out",
		enableBeforeUnload: dirty,
		withResolver: true,
	});
	return (
		<Confirm
			open={status === "blocked"}
			title="Leave without saving?"
			verb="Discard the changes"
			onConfirm={async () => proceed?.()}
			onClose={() => reset?.()}
		>
			<p className="m-0">The changes on this page are not saved yet.</p>
		</Confirm>
	);
}

interface SaveBarProps {
	readonly dirty: boolean;
	readonly busy: boolean;
	onDiscard(): void;
}

/** The end of a form that is part of a page. */
export function SaveBar({ dirty, busy, onDiscard }: SaveBarProps) {
	return (
		<div className="flex gap-2">
			<Button variant="primary" type="submit" disabled={!dirty} busy={busy}>
				Save
			</Button>
			{dirty && <Button onClick={onDiscard}>Discard</Button>}
			<UnsavedGuard dirty={dirty} />
		</div>
	);
}
