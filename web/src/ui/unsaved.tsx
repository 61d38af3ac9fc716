/** The verbs at the end of a form that is part of a page. */
import { useDraft } from "../platform/draft-state.ts";
import { Button } from "./button.tsx";

interface SaveBarProps {
	readonly dirty: boolean;
	readonly busy: boolean;
}

export function SaveBar({ dirty, busy }: SaveBarProps) {
	const draft = useDraft();
	return (
		<div className="flex gap-2">
			<Button variant="primary" type="submit" disabled={!dirty} busy={busy}>
				Save
			</Button>
			{dirty && <Button onClick={() => draft?.discard()}>Discard</Button>}
		</div>
	);
}
