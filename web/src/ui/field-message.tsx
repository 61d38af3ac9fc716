/** A message of the service about a field, in the words of the form that it is shown in. */
import { useLayoutEffect, useRef, useState } from "react";
import { findLabel, writeLabels } from "./field-names.ts";

export function FieldMessage({ text }: { readonly text: string }) {
	const element = useRef<HTMLSpanElement>(null);
	const [shown, setShown] = useState(text);
	useLayoutEffect(() => {
		const form = element.current?.closest("form");
		setShown(form ? writeLabels(text, (name) => findLabel(form, name)) : text);
	}, [text]);
	return <span ref={element}>{shown}</span>;
}

/** The message under a group of fields. */
export const GroupMessage = ({ text }: { readonly text: string }) => (
	<p className="m-0 text-bad text-xs">
		<FieldMessage text={text} />
	</p>
);
