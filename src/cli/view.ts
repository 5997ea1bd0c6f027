import { VIEWS, type View, viewNamed } from '../profile/views.ts';
import { UsageError } from '../trace/usage-error.ts';

/** The view a person named, with their own stack if they gave one. */
export function viewOf(name: string, stack: string | undefined): View {
  const view = viewNamed(name);
  if (!view)
    throw new UsageError(
      `--view: there is no view ${JSON.stringify(name)}. Views: ${VIEWS.map(each => each.name).join(', ')}.`,
    );
  if (stack === undefined) return view;
  return {
    ...view,
    stack: stack
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== ''),
  };
}
