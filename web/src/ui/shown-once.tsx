/** A dialog with a secret that is shown once. It is left only by saying that it was kept. */
import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { CheckField } from "./field.tsx";

interface ShownOnceProps {
	readonly title: string;
	/** What the user confirms before the dialog can be left. */
	readonly confirmation: string;
	readonly wide?: boolean;
	readonly children: ReactNode;
	onDone(): void;
}

export function ShownOnce({ title, confirmation, wide = false, children, onDone }: ShownOnceProps) {
	const [kept, setKept] = useState(false);
	return (
		<Dialog
			open
			title={title}
			wide={wide}
			dismissible={false}
			onClose={onDone}
			actions={
				<Button variant="primary" disabled={!kept} onClick={onDone}>
					Done
				</Button>
			}
		>
			<div className="flex flex-col gap-3">
				{children}
				<CheckField label={confirmation} checked={kept} onChange={(event) => setKept(event.target.checked)} />
			</div>
		</Dialog>
	);
}
