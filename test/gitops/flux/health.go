package main

import (
	"fmt"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// healthRequest holds objects, and the Lua that Argo CD runs on each of them.
type healthRequest struct {
	Script  string                   `json:"script"`
	Objects []map[string]interface{} `json:"objects"`
}

// verdict is what both tools say about one object.
type verdict struct {
	Kstatus string `json:"kstatus"`
	ArgoCD  string `json:"argoCD"`
	Message string `json:"message"`
}

func health(request healthRequest) ([]verdict, error) {
	verdicts := make([]verdict, 0, len(request.Objects))
	for i, content := range request.Objects {
		object, err := withIntegers(content)
		if err != nil {
			return nil, err
		}
		result, err := status.Compute(object)
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		each := verdict{Kstatus: string(result.Status)}
		if each.ArgoCD, each.Message, err = runScript(request.Script, object); err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		verdicts = append(verdicts, each)
	}
	return verdicts, nil
}

// withIntegers reads the content as a client of Kubernetes does, which keeps integers apart from other numbers.
func withIntegers(content map[string]interface{}) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: content}
	text, err := object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	result := &unstructured.Unstructured{}
	return result, result.UnmarshalJSON(text)
}

// runScript runs Lua with the libraries that Argo CD opens for scripts of users: no `string`, no `io`.
func runScript(script string, object *unstructured.Unstructured) (string, string, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		call := lua.P{Fn: state.NewFunction(open), Protect: true}
		if err := state.CallByParam(call, lua.LString(name)); err != nil {
			return "", "", err
		}
	}
	state.SetGlobal("obj", luaValue(state, object.Object))
	if err := state.DoString(script); err != nil {
		return "", "", err
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return "", "", fmt.Errorf("the script returned '%s', not a table", state.Get(-1).Type())
	}
	return table.RawGetString("status").String(), table.RawGetString("message").String(), nil
}

func luaValue(state *lua.LState, value interface{}) lua.LValue {
	switch typed := value.(type) {
	case bool:
		return lua.LBool(typed)
	case string:
		return lua.LString(typed)
	case int64:
		return lua.LNumber(typed)
	case float64:
		return lua.LNumber(typed)
	case []interface{}:
		table := state.NewTable()
		for _, each := range typed {
			table.Append(luaValue(state, each))
		}
		return table
	case map[string]interface{}:
		table := state.NewTable()
		for key, each := range typed {
			table.RawSetString(key, luaValue(state, each))
		}
		return table
	default:
		return lua.LNil
	}
}
